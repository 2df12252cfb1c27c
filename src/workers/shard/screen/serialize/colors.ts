import type { IParser } from '@xterm/headless';

export type Rgb = readonly [number, number, number];

/** Colours 0 to 15 of xterm.js, which browsers show unless a program sets others. */
const ANSI =
  '2e3436 cc0000 4e9a06 c4a000 3465a4 75507b 06989a d3d7cf 555753 ef2929 8ae234 fce94f 729fcf ad7fa8 34e2e2 eeeeec'
    .split(' ')
    .map((hex): Rgb => fromNumber(Number.parseInt(hex, 16)));

const CUBE = [0, 95, 135, 175, 215, 255];

/** Most parameters read of one OSC 4 or 104: index and value of each palette colour. A sequence may be 10 MB. */
const MAX_SLOTS = 512;

/** Default colours of text, background and cursor: OSC 10, 11 and 12. */
const SPECIAL: readonly Rgb[] = [
  [255, 255, 255],
  [0, 0, 0],
  [255, 255, 255],
];

/** The colours that a program can set and query: OSC 4, 10, 11, 12, 104, 110, 111 and 112. */
export class Colors {
  readonly #palette = new Map<number, Rgb>();
  readonly #special = new Map<number, Rgb>();
  readonly #reply: (data: string) => void;

  constructor(parser: IParser, reply: (data: string) => void) {
    this.#reply = reply;
    parser.registerOscHandler(4, (data) => this.#palettePairs(data.split(';', MAX_SLOTS)));
    parser.registerOscHandler(104, (data) => this.#restorePalette(data));
    for (const which of SPECIAL.keys()) {
      parser.registerOscHandler(10 + which, (data) =>
        this.#specialFrom(which, data.split(';', SPECIAL.length)),
      );
      parser.registerOscHandler(110 + which, () => {
        this.#special.delete(which);
        return true;
      });
    }
  }

  /** Palette colours that a program has set. */
  get palette(): ReadonlyMap<number, Rgb> {
    return this.#palette;
  }

  /** Colours of text (0), background (1) and cursor (2) that a program has set. */
  get special(): ReadonlyMap<number, Rgb> {
    return this.#special;
  }

  /** Returns sequences that set the colours a program has set. */
  serialize(): string {
    const palette = [...this.#palette].map(([index, color]) => `;${index};${format(color)}`).join('');
    const special = [...this.#special].map(([which, color]) => `\x1b]${10 + which};${format(color)}\x07`);
    return (palette && `\x1b]4${palette}\x07`) + special.join('');
  }

  #palettePairs(slots: string[]): boolean {
    for (let at = 0; at + 1 < slots.length; at += 2) {
      const index = /^\d+$/.test(slots[at]!) ? Number(slots[at]) : 256;
      if (index > 255) continue;
      if (slots[at + 1] === '?') this.#answer(`4;${index}`, this.#palette.get(index) ?? defaultColor(index));
      else set(this.#palette, index, slots[at + 1]!);
    }
    return true;
  }

  #restorePalette(data: string): boolean {
    if (data === '') this.#palette.clear();
    for (const slot of data.split(';', MAX_SLOTS)) if (/^\d+$/.test(slot)) this.#palette.delete(Number(slot));
    return true;
  }

  /** One OSC 10 may carry the values of 11 and 12 too. */
  #specialFrom(first: number, slots: string[]): boolean {
    for (const [at, slot] of slots.entries()) {
      const which = first + at;
      const standard = SPECIAL[which];
      if (!standard) break;
      if (slot === '?') this.#answer(`${10 + which}`, this.#special.get(which) ?? standard);
      else set(this.#special, which, slot);
    }
    return true;
  }

  #answer(which: string, color: Rgb): void {
    this.#reply(`\x1b]${which};${format(color)}\x1b\\`);
  }
}

function set(colors: Map<number, Rgb>, index: number, spec: string): void {
  const color = parse(spec);
  if (color) colors.set(index, color);
}

function defaultColor(index: number): Rgb {
  if (index < 16) return ANSI[index]!;
  if (index > 231) {
    const gray = 8 + (index - 232) * 10;
    return [gray, gray, gray];
  }
  const cell = index - 16;
  return [CUBE[Math.floor(cell / 36)]!, CUBE[Math.floor(cell / 6) % 6]!, CUBE[cell % 6]!];
}

/**
 * Parses the forms that xterm.js accepts, and no others: `rgb:r/g/b` with 1 to 4 hex digits each, scaled to 8 bits, and
 * `#` with 1 to 4 digits for each colour, cut to 8 bits.
 */
function parse(spec: string): Rgb | undefined {
  const low = spec.toLowerCase();
  const scaled = /^rgb:([\da-f]{1,4})\/([\da-f]{1,4})\/([\da-f]{1,4})$/.exec(low)?.slice(1);
  if (scaled?.every((part) => part.length === scaled[0]!.length)) {
    const top = 16 ** scaled[0]!.length - 1;
    return toRgb(scaled.map((part) => Math.round((Number.parseInt(part, 16) / top) * 255)));
  }
  const hex = /^#((?:[\da-f]{3}){1,4})$/.exec(low)?.[1];
  if (!hex) return undefined;
  const digits = hex.length / 3;
  const parts = [0, 1, 2].map((at) => hex.slice(at * digits, (at + 1) * digits).padEnd(2, '0'));
  return toRgb(parts.map((part) => Number.parseInt(part.slice(0, 2), 16)));
}

function format(color: Rgb): string {
  const parts = color.map((value) => value.toString(16).padStart(2, '0'));
  return `rgb:${parts.map((part) => part + part).join('/')}`;
}

function fromNumber(value: number): Rgb {
  return [value >> 16, (value >> 8) & 255, value & 255];
}

function toRgb(values: number[]): Rgb {
  return [values[0]!, values[1]!, values[2]!];
}
