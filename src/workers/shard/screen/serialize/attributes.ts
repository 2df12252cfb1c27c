import type { AttributeInternals, ExtendedInternals } from '../xterm/internals.js';

const COLOR_MODE = 0x3000000;
const MODE_16 = 0x1000000;
const MODE_RGB = 0x3000000;
const COLOR = 0x3ffffff;
const FLAGS = ~COLOR;

export const UNDERLINE = 0x10000000;
/** Flag in `bg`: the extended attributes (underline style and colour, link) apply. Without it they are ignored. */
export const EXTENDED = 0x10000000;
export const PROTECTED = 0x20000000;

const BOLD = 0x8000000;
const DIM = 0x8000000;
const BLINK = 0x20000000;
const DASHED = 5;

/** Flag, SGR code that sets it, SGR code that clears it. Bold and dim are missing, because SGR 22 clears both. */
const FG_FLAGS: readonly (readonly [number, string, string])[] = [
  [0x4000000, '7', '27'],
  [BLINK, '5', '25'],
  [0x40000000, '8', '28'],
  [0x80000000 | 0, '9', '29'],
];
const BG_FLAGS: readonly (readonly [number, string, string])[] = [
  [0x4000000, '3', '23'],
  [0x40000000, '53', '55'],
];

/** Attributes of a cell, or of the cursor, which gives them to the next character. */
export interface Attributes {
  /** Colour and flags as xterm packs them, signed, without the bits of an earlier colour that xterm leaves behind. */
  readonly fg: number;
  readonly bg: number;
  /** Underline style, 0 to 5. */
  readonly style: number;
  /** Packed underline colour; 0 is none, -1 is any. */
  readonly underlineColor: number;
  /** Link id; 0 is none. */
  readonly link: number;
}

export const DEFAULT_ATTRIBUTES: Attributes = { fg: 0, bg: 0, style: 0, underlineColor: 0, link: 0 };

/** Returns the attributes of a cell. `extended` applies only if `bg` has the flag EXTENDED. */
export function cellAttributes(fg: number, bg: number, extended?: ExtendedInternals): Attributes {
  if (bg & EXTENDED && extended) return withExtended(fg, bg, extended);
  return { fg: withoutRemains(fg), bg: withoutRemains(bg), style: 0, underlineColor: -1, link: 0 };
}

/** Returns the attributes of the cursor, including extended attributes that do not apply: the cursor keeps them. */
export function cursorAttributes(from: AttributeInternals): Attributes {
  return withExtended(from.fg, from.bg, from.extended);
}

/** Returns the attributes of a saved cursor. DECSC saves no extended attributes. */
export function savedAttributes(from: AttributeInternals): Attributes {
  return cellAttributes(from.fg, from.bg);
}

/** Returns the attributes with only the visible part of a link whose target xterm has forgotten: its underline. */
export function asForgottenLink(attributes: Attributes): Attributes {
  if (!hasExtended(attributes.bg)) return { ...attributes, link: 0 };
  return { ...attributes, fg: attributes.fg | UNDERLINE, style: DASHED, link: 0 };
}

/** Returns the packed background colour that erasing with this `bg` gives to cells. */
export function eraseColor(bg: number): number {
  return withoutRemains(bg) & COLOR;
}

/**
 * Returns whether SGR and OSC 8 alone can produce these attributes. SGR and OSC 8 keep the flags UNDERLINE and EXTENDED
 * in step with the extended attributes. DECRC restores the flags but not the extended attributes, and if that puts them
 * out of step, only another DECRC can reproduce the state.
 */
export function isConsistent({ fg, bg, style, link }: Attributes): boolean {
  return hasUnderline(fg) === (style !== 0) && hasExtended(bg) === (style !== 0 || link !== 0);
}

export function hasUnderline(fg: number): boolean {
  return (fg & UNDERLINE) !== 0;
}

export function hasExtended(bg: number): boolean {
  return (bg & EXTENDED) !== 0;
}

export function isBlinking({ fg }: Attributes): boolean {
  return (fg & BLINK) !== 0;
}

/** How characters are drawn, except underline, colours and blinking. */
export interface Flags {
  isBold: boolean;
  isDim: boolean;
  isItalic: boolean;
  isInverse: boolean;
  isHidden: boolean;
  isStruck: boolean;
  isOverlined: boolean;
}

export function flagsOf({ fg, bg }: Attributes): Flags {
  return {
    isBold: (fg & BOLD) !== 0,
    isDim: (bg & DIM) !== 0,
    isItalic: (bg & 0x4000000) !== 0,
    isInverse: (fg & 0x4000000) !== 0,
    isHidden: (fg & 0x40000000) !== 0,
    isStruck: (fg & 0x80000000) !== 0,
    isOverlined: (bg & 0x40000000) !== 0,
  };
}

/** Returns the colour in a packed word: a palette index, or red, green and blue; undefined for the default colour. */
export function colorOf(word: number): number | readonly [number, number, number] | undefined {
  const mode = word & COLOR_MODE;
  if (mode === 0) return undefined;
  return mode === MODE_RGB ? [(word >> 16) & 0xff, (word >> 8) & 0xff, word & 0xff] : word & 0xff;
}

export function sameAttributes(a: Attributes, b: Attributes): boolean {
  const color = a.underlineColor === b.underlineColor || a.underlineColor < 0 || b.underlineColor < 0;
  return a.fg === b.fg && a.bg === b.bg && a.style === b.style && a.link === b.link && color;
}

/** An SGR sequence, and whether it begins by resetting everything. */
export interface Sgr {
  readonly text: string;
  readonly isReset: boolean;
}

/** Returns the SGR that changes `from` into `to`, apart from links and DECSCA; an empty text if nothing changes. */
export function sgr(from: Attributes, to: Attributes): Sgr {
  const parts = changes(from, to);
  // Only a reset removes the underline colour.
  const mustReset = to.underlineColor === 0 && from.underlineColor !== 0;
  if (parts.length === 0 && !mustReset) return { text: '', isReset: false };
  const step = parts.join(';');
  const bg = from.link ? EXTENDED : 0;
  const fromReset = ['', ...changes({ ...DEFAULT_ATTRIBUTES, bg, link: from.link }, to)].join(';');
  if (mustReset || fromReset.length < step.length) return { text: `\x1b[${fromReset}m`, isReset: true };
  return { text: `\x1b[${step}m`, isReset: false };
}

/** Returns SGR that changes colours and flags and leaves the underline unchanged. */
export function sgrWithoutUnderline(from: Attributes, to: Attributes): string {
  const codes = plainChanges(from, to).join(';');
  return codes && `\x1b[${codes}m`;
}

function changes(from: Attributes, to: Attributes): string[] {
  const codes = plainChanges(from, to);
  const isUnderlineSame = from.style === to.style && hasUnderline(from.fg) === hasUnderline(to.fg);
  const isExtendedSame = hasExtended(from.bg) === hasExtended(to.bg) || from.link !== to.link;
  if (!isUnderlineSame || !isExtendedSame) codes.push(underlineCode(to.style));
  if (to.underlineColor > 0 && to.underlineColor !== from.underlineColor) {
    codes.push(underlineColorCode(to.underlineColor));
  }
  return codes;
}

function plainChanges(from: Attributes, to: Attributes): string[] {
  const codes: string[] = [];
  const isBold = (to.fg & BOLD) !== 0;
  const isDim = (to.bg & DIM) !== 0;
  const losesWeight = (from.fg & BOLD && !isBold) || (from.bg & DIM && !isDim);
  if (losesWeight) codes.push('22');
  if (isBold && (losesWeight || !(from.fg & BOLD))) codes.push('1');
  if (isDim && (losesWeight || !(from.bg & DIM))) codes.push('2');
  pushFlags(codes, FG_FLAGS, from.fg, to.fg);
  pushFlags(codes, BG_FLAGS, from.bg, to.bg);
  if ((from.fg & COLOR) !== (to.fg & COLOR)) codes.push(colorCode(to.fg, 30));
  if ((from.bg & COLOR) !== (to.bg & COLOR)) codes.push(colorCode(to.bg, 40));
  return codes;
}

function pushFlags(codes: string[], flags: typeof FG_FLAGS, from: number, to: number): void {
  if (((from ^ to) & FLAGS) === 0) return;
  for (const [flag, on, off] of flags) if ((from ^ to) & flag) codes.push(to & flag ? on : off);
}

/** Returns the SGR parameters for a packed colour. `base` is 30 for the text colour, 40 for the background. */
export function colorCode(word: number, base: 30 | 40): string {
  const color = word & 0xff;
  switch (word & COLOR_MODE) {
    case 0:
      return String(base + 9);
    case MODE_16:
      return String(color < 8 ? base + color : base + 52 + color);
    case MODE_RGB:
      return `${base + 8};2;${(word >> 16) & 0xff};${(word >> 8) & 0xff};${color}`;
    default:
      return `${base + 8};5;${color}`;
  }
}

function underlineCode(style: number): string {
  return ['24', '4', '21'][style] ?? `4:${style}`;
}

function underlineColorCode(word: number): string {
  if ((word & COLOR_MODE) !== MODE_RGB) return `58:5:${word & 0xff}`;
  return `58:2::${(word >> 16) & 0xff}:${(word >> 8) & 0xff}:${word & 0xff}`;
}

function withExtended(fg: number, bg: number, { _ext, _urlId }: ExtendedInternals): Attributes {
  return {
    fg: withoutRemains(fg),
    bg: withoutRemains(bg),
    style: (_ext >>> 26) & 7,
    underlineColor: withoutRemains(_ext) & COLOR,
    link: _urlId,
  };
}

/** Clears unused colour bits: xterm leaves two bytes of an RGB colour, which nothing reads, under a palette colour. */
function withoutRemains(word: number): number {
  const mode = word & COLOR_MODE;
  if (mode === MODE_RGB) return word | 0;
  return (word & FLAGS) | mode | (mode === 0 ? 0 : word & 0xff);
}
