import type { CanvasKit, Font, FontCollection } from 'canvaskit-wasm';
import type { Fonts, PictureFont, TextStyle } from '../fonts/fonts.js';
import type { DrawingSurface } from './surface.js';

/** Size at which the width of a letter is measured, in order to find the size of letters as wide as a column. */
const MEASURING_PX = 16;
const PLAIN: TextStyle = { isBold: false, isItalic: false };
/** Wider than any character with its combining characters, so that no line is broken. */
const LINE_WIDTH = 100_000;
/** Slant of italic letters from a font without italics, as in Skia's text layout. */
const SLANT = -0.25;
/** Glyphs without ink. */
const INVISIBLE = /^\p{Default_Ignorable_Code_Point}$/u;

/** Text of one size. Skia's objects are outside of the collected heap, so call `dispose` when the picture is done. */
export class Lettering {
  readonly #kit: CanvasKit;
  readonly #fonts: Fonts;
  readonly #surface: DrawingSurface;
  readonly #size: number;
  readonly #columnWidth: number;
  /** Fonts of this size, by their name and the style of the text. */
  readonly #sized = new Map<string, Font>();
  /** Caches laid-out text, so that a repeated character takes half the time. */
  readonly #collection: FontCollection;
  /** Pixels above and below the line that letters stand on. */
  readonly ascent: number;
  readonly descent: number;

  /** @param columnWidth - pixels, which are the width of each letter of the mono font */
  constructor(kit: CanvasKit, fonts: Fonts, surface: DrawingSurface, columnWidth: number) {
    this.#kit = kit;
    this.#fonts = fonts;
    this.#surface = surface;
    this.#columnWidth = columnWidth;
    this.#collection = kit.FontCollection.Make();
    this.#collection.setDefaultFontManager(fonts.provider);
    this.#size = (MEASURING_PX * columnWidth) / this.#letterWidth(MEASURING_PX);
    const { ascent, descent } = this.#font(fonts.mono(PLAIN), PLAIN).getMetrics();
    [this.ascent, this.descent] = [-ascent, descent];
  }

  /** Returns whether the mono font has a letter, so that it may be part of a word. */
  hasLetter(letter: string, style: TextStyle): boolean {
    return this.#fonts.mono(style).has(letter.charCodeAt(0));
  }

  /** Draws letters of the mono font, one in each column. */
  word(text: string, style: TextStyle, x: number, y: number): void {
    const font = this.#font(this.#fonts.mono(style), style);
    const ids = font.getGlyphIDs(text);
    const positions = new Float32Array(ids.length * 2);
    for (let index = 0; index < ids.length; index++) positions[index * 2] = index * this.#columnWidth;
    this.#surface.glyphs(font, ids, positions, x, y);
  }

  /** Draws a character of any font: centred in `room` pixels, narrowed if it is wider. */
  character(text: string, style: TextStyle, x: number, y: number, room: number, prefersEmoji: boolean): void {
    const fonts = this.#fonts.fontsFor(text, style, prefersEmoji);
    const isOne = text.length === 1 || text.length === String.fromCodePoint(text.codePointAt(0)!).length;
    if (!isOne) this.#cluster(text, fonts, style, x, y, room);
    else if (!INVISIBLE.test(text)) this.#glyph(text, fonts[0], style, x, y, room);
  }

  dispose(): void {
    for (const font of this.#sized.values()) font.delete();
    this.#collection.delete();
  }

  #glyph(text: string, of: PictureFont, style: TextStyle, x: number, y: number, room: number): void {
    const font = this.#font(of, style);
    const ids = font.getGlyphIDs(text);
    const width = font.getGlyphWidths(ids)[0] ?? 0;
    const { start, scale } = placed(x, room, width);
    this.#surface.glyphs(font, ids, new Float32Array(2), start, y, scale);
  }

  /** Has Skia lay out combining characters, flags and joined emoji. */
  #cluster(text: string, fonts: PictureFont[], style: TextStyle, x: number, y: number, room: number): void {
    const builder = this.#kit.ParagraphBuilder.MakeFromFontCollection(
      new this.#kit.ParagraphStyle({
        textStyle: {
          color: this.#surface.rgba,
          fontFamilies: fonts.map(({ name }) => name),
          fontSize: this.#size,
          fontStyle: this.#fonts.fontStyle(style),
        },
      }),
      this.#collection,
    );
    try {
      builder.addText(text);
      const paragraph = builder.build();
      try {
        paragraph.layout(LINE_WIDTH);
        const { start, scale } = placed(x, room, paragraph.getLongestLine());
        this.#surface.paragraph(paragraph, start, y - paragraph.getAlphabeticBaseline(), scale);
      } finally {
        paragraph.delete();
      }
    } finally {
      builder.delete();
    }
  }

  #font(of: PictureFont, style: TextStyle): Font {
    const key = `${style.isBold} ${style.isItalic} ${of.name}`;
    let font = this.#sized.get(key);
    if (!font) {
      font = this.#makeFont(of, style, this.#size);
      this.#sized.set(key, font);
    }
    return font;
  }

  #makeFont(of: PictureFont, style: TextStyle, size: number): Font {
    const typeface = this.#fonts.typeface(of);
    try {
      const font = new this.#kit.Font(typeface, size);
      // As in Skia's text layout.
      font.setHinting(this.#kit.FontHinting.Slight);
      font.setEdging(this.#kit.FontEdging.AntiAlias);
      font.setSubpixel(true);
      if (style.isBold && !of.isBold) font.setEmbolden(true);
      if (style.isItalic && !of.isItalic) font.setSkewX(SLANT);
      return font;
    } finally {
      typeface.delete();
    }
  }

  #letterWidth(size: number): number {
    const font = this.#makeFont(this.#fonts.mono(PLAIN), PLAIN, size);
    try {
      return font.getGlyphWidths(font.getGlyphIDs('M'))[0]!;
    } finally {
      font.delete();
    }
  }
}

/** Returns where text of this width begins, and how much it is narrowed. */
function placed(x: number, room: number, width: number): { start: number; scale: number } {
  if (width <= room) return { start: x + (room - width) / 2, scale: 1 };
  return { start: x, scale: room / width };
}
