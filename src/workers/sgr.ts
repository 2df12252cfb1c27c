/** Attribute of a character that SGR sets; a character has each at most once. */
type Attribute =
  | 'bold'
  | 'dim'
  | 'italic'
  | 'underline'
  | 'blink'
  | 'inverse'
  | 'hidden'
  | 'struck'
  | 'overline'
  | 'foreground'
  | 'background'
  | 'underlineColor';

/** Attributes of a character, each with the SGR parameters that produce it from plain text; plain data. */
export type SgrStyle = { readonly [Name in Attribute]?: string };

/** The attribute that each code turns on. */
const ON: Readonly<Record<number, Attribute>> = {
  1: 'bold',
  2: 'dim',
  3: 'italic',
  4: 'underline',
  5: 'blink',
  6: 'blink',
  7: 'inverse',
  8: 'hidden',
  9: 'struck',
  21: 'underline',
  53: 'overline',
};

/** The attributes that each code turns off. */
const OFF: Readonly<Record<number, readonly Attribute[]>> = {
  22: ['bold', 'dim'],
  23: ['italic'],
  24: ['underline'],
  25: ['blink'],
  27: ['inverse'],
  28: ['hidden'],
  29: ['struck'],
  39: ['foreground'],
  49: ['background'],
  55: ['overline'],
  59: ['underlineColor'],
};

/** Codes of colours that take more parameters: `38;5;n`, `38;2;r;g;b`, or the same with colons. */
const COLOR: Readonly<Record<number, Attribute>> = {
  38: 'foreground',
  48: 'background',
  58: 'underlineColor',
};

type Mutable = { -readonly [Name in keyof SgrStyle]: SgrStyle[Name] };

/**
 * Returns the style of characters after an SGR sequence with these parameters, as `1;38;5;9` or `4:3`. Unknown
 * parameters change nothing.
 */
export function applySgr(style: SgrStyle, parameters: string): SgrStyle {
  if (/[^0-9;:]/.test(parameters)) return style;
  let next: Mutable = { ...style };
  const words = parameters.split(';');
  for (let at = 0; at < words.length; at++) {
    const word = words[at]!;
    const code = Number.parseInt(word, 10) || 0;
    const color = COLOR[code];
    if (code === 0) next = {};
    else if (color === undefined) applyOne(next, code, word);
    else {
      const length = colorLength(words, at);
      const whole = words.slice(at, at + length).join(';');
      if (sgrColor(whole) !== undefined) next[color] = whole;
      at += length - 1;
    }
  }
  return next;
}

function applyOne(style: Mutable, code: number, word: string): void {
  const attribute = ON[code] ?? baseColor(code)?.attribute;
  if (attribute === undefined) for (const off of OFF[code] ?? []) delete style[off];
  // `4:0` means no underline.
  else if (code === 4 && word !== '4' && subParameter(word) === 0) delete style.underline;
  else style[attribute] = word;
}

/** Returns the number of words of the colour that begins at `words[at]`. */
function colorLength(words: readonly string[], at: number): number {
  // With colons the whole colour is one word.
  if (words[at]!.includes(':')) return 1;
  const kind = Number.parseInt(words[at + 1] ?? '', 10);
  return kind === 5 ? 3 : kind === 2 ? 5 : 2;
}

function subParameter(word: string): number {
  return Number(word.split(':')[1]);
}

/**
 * Returns the colour in the parameters of a {@link SgrStyle}: an index of the palette, or red, green and blue; undefined
 * if they have no such colour. Missing numbers count as 0.
 */
export function sgrColor(parameters: string): number | readonly number[] | undefined {
  const hasColons = !parameters.includes(';');
  const [code = 0, kind, ...values] = parameters
    .split(hasColons ? ':' : ';')
    .map((word) => Number.parseInt(word, 10) || 0);
  const base = baseColor(code);
  if (base) return base.index;
  const [index = 0] = values;
  if (kind === 5) return index > 255 ? undefined : index;
  // With colons, a colour space may come before red, green and blue.
  return kind === 2 ? values.slice(hasColons && values.length > 3 ? 1 : 0) : undefined;
}

/** Returns the attribute and the palette index that a code for one of the sixteen colours sets; undefined for any other code. */
function baseColor(code: number): { attribute: Attribute; index: number } | undefined {
  if (code >= 30 && code <= 37) return { attribute: 'foreground', index: code - 30 };
  if (code >= 40 && code <= 47) return { attribute: 'background', index: code - 40 };
  if (code >= 90 && code <= 97) return { attribute: 'foreground', index: code - 82 };
  if (code >= 100 && code <= 107) return { attribute: 'background', index: code - 92 };
  return undefined;
}
