import {
  type Attributes,
  colorOf,
  DEFAULT_ATTRIBUTES,
  type Flags,
  flagsOf,
  hasUnderline,
} from '../../shard/screen/serialize/attributes.js';
import type { Colors } from '../../shard/screen/serialize/colors.js';
import { indexed, PAGE, rgb } from '../palette.js';

/** Styles of underline, by their numbers in SGR 4:0 to 4:5. */
export const Underline = { none: 0, single: 1, double: 2, curly: 3, dotted: 4, dashed: 5 } as const;

/** Style in which a cell is drawn, with inverse already applied. Colours are CSS colours. */
export interface CellStyle extends Omit<Flags, 'isInverse'> {
  color: string;
  background: string;
  underline: number;
  underlineColor: string;
}

/** Most styles that are cached: a true-colour picture may have another style for each cell, and never reuse one. */
const MAX_KNOWN = 4_096;

/** Makes styles from attributes. Equal attributes give the same object while it is cached. */
export class CellStyles {
  readonly #colors: Pick<Colors, 'palette' | 'special'>;
  readonly #known = new Map<string, CellStyle>();
  readonly #color: string;
  readonly #background: string;
  /** Colour of the cursor. */
  readonly cursorColor: string;
  /** Style of text without attributes. */
  readonly plain: CellStyle;

  /** @param colors - colours that the program has set, after all output is parsed */
  constructor(colors: Pick<Colors, 'palette' | 'special'>) {
    this.#colors = colors;
    const [color, background, cursor] = [0, 1, 2].map((which) => {
      const set = colors.special.get(which);
      return set && rgb(set);
    });
    this.#color = color ?? PAGE.color;
    this.#background = background ?? PAGE.background;
    this.cursorColor = cursor ?? this.#color;
    this.plain = this.of(DEFAULT_ATTRIBUTES);
  }

  of(attributes: Attributes): CellStyle {
    const { fg, bg, style, underlineColor, link } = attributes;
    const key = `${fg} ${bg} ${style} ${underlineColor} ${link}`;
    let known = this.#known.get(key);
    if (!known) {
      if (this.#known.size === MAX_KNOWN) this.#known.clear();
      known = this.#make(attributes);
      this.#known.set(key, known);
    }
    return known;
  }

  /** Returns the style of a cell under a block cursor. */
  underCursor(style: CellStyle): CellStyle {
    return { ...style, color: this.#background, background: this.cursorColor, isDim: false };
  }

  #make(attributes: Attributes): CellStyle {
    const { isInverse, ...flags } = flagsOf(attributes);
    let color = this.#css(attributes.fg) ?? this.#color;
    let background = this.#css(attributes.bg) ?? this.#background;
    if (isInverse) [color, background] = [background, color];
    const own = attributes.underlineColor > 0 ? this.#css(attributes.underlineColor) : undefined;
    return { ...flags, color, background, underline: underlineOf(attributes), underlineColor: own ?? color };
  }

  #css(word: number): string | undefined {
    const color = colorOf(word);
    if (typeof color !== 'number') return color && rgb(color);
    const set = this.#colors.palette.get(color);
    return set ? rgb(set) : indexed(color);
  }
}

/** Returns the underline of a cell; links get dashes, as in xterm.js. */
function underlineOf({ fg, style, link }: Attributes): number {
  if (link !== 0) return Underline.dashed;
  if (style !== 0) return style;
  return hasUnderline(fg) ? Underline.single : Underline.none;
}
