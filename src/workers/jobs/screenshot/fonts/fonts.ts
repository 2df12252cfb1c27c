import type { CanvasKit, FontStyle, Typeface, TypefaceFontProvider } from 'canvaskit-wasm';
import { libraryFile } from '../../../vendored.js';
import { charactersOf, type HasCharacter } from './character-map.js';
import { distanceFromRegular, facesIn, fontFolders, ifFont, type NamedFace } from './machine.js';
import { bytesOf, type Face, facesOf, fileOf } from './sfnt.js';

/** Font families for Chinese, Japanese and Korean, the better ones first. */
const CJK = [
  /^(noto|source han) sans.* mono\b|^sarasa mono|^noto sans mono cjk/i,
  /^(noto|source han) sans.*(cjk|hw|jp|sc|tc|kr)\b|^source han sans/i,
  /^(pingfang|hiragino (kaku|sans)|apple sd gothic|microsoft yahei|ms gothic|meiryo|malgun gothic)/i,
  /^(wenquanyi|droid sans fallback|ipa(ex)?gothic|ipa(ex)? ?p?gothic|takao|vl gothic|nanum|un ?dotum|baekmuk)/i,
  /cjk|^source han|^(heiti|songti|stheiti|simsun|simhei|ar pl|unifont)/i,
];

/** Font families for emoji, the coloured ones first. */
const EMOJI = [
  /^(noto color emoji|apple color emoji|segoe ui emoji|twitter color emoji|twemoji|joypixels|emojione)/i,
  /emoji|^symbola/i,
];

/**
 * Most families of a kind to search: a machine may have hundreds, and each is tried for characters that the earlier
 * families lack.
 */
const MAX_FALLBACKS = 6;

/** Bytes of the machine's fonts that one thread loads; characters of further fonts are boxes. Apple's emoji have 190 MB. */
const MAX_LOADED_BYTES = 256 * 2 ** 20;

/** Joiners and selectors of variants need no glyph of their own. */
const IGNORABLE = /\p{Default_Ignorable_Code_Point}/u;

export interface TextStyle {
  isBold: boolean;
  isItalic: boolean;
}

/** A font that pictures are drawn with, and its style: Skia makes text of another style bold or slanted. */
export interface PictureFont extends TextStyle {
  /** Unique among the fonts, even between the styles of one family. */
  name: string;
  has: HasCharacter;
  face: Face;
}

/** Fonts of the machine: for East Asia, and for emoji. */
interface MachineFonts {
  cjk: PictureFont[];
  emoji: PictureFont[];
}

/**
 * The bundled fonts and the machine's fonts: mono fonts for letters, a sans font for symbols that they lack, and the
 * machine's fonts for all other characters. The machine's files are read when a character first needs them, and kept
 * afterwards.
 */
export class Fonts {
  readonly #kit: CanvasKit;
  /** The loaded fonts, by name. */
  readonly provider: TypefaceFontProvider;
  readonly #mono: PictureFont[];
  readonly #sans: PictureFont;
  readonly #folders: readonly string[];
  #machine: MachineFonts | undefined;
  /** Whether each font of the machine that a character needed could be loaded. */
  readonly #loaded = new Map<PictureFont, boolean>();
  #bytesLeft = MAX_LOADED_BYTES;

  /** Loads the bundled fonts. */
  constructor(kit: CanvasKit, folders: readonly string[] = fontFolders()) {
    this.#kit = kit;
    this.#folders = folders;
    this.provider = kit.TypefaceFontProvider.Make();
    this.#mono = [
      this.#bundled('Mono', false, false),
      this.#bundled('Mono-Bold', true, false),
      this.#bundled('Mono-Oblique', false, true),
      this.#bundled('Mono-BoldOblique', true, true),
    ];
    this.#sans = this.#bundled('', false, false);
  }

  /** Returns the mono font of a style. */
  mono({ isBold, isItalic }: TextStyle): PictureFont {
    return this.#mono[Number(isBold) + 2 * Number(isItalic)]!;
  }

  /**
   * Returns the fonts to draw a character with its combining characters from: the first that has all of them, or the
   * first for each of them. The mono font draws a box for a character that no font has.
   *
   * @param prefersEmoji - the machine's emoji fonts first, which have better pictures
   */
  fontsFor(text: string, style: TextStyle, prefersEmoji: boolean): [PictureFont, ...PictureFont[]] {
    const shown = [...text].filter((char) => !IGNORABLE.test(char)).map((char) => char.codePointAt(0)!);
    const mono = this.mono(style);
    const whole = this.#first(shown, mono, prefersEmoji);
    if (whole) return [whole];
    const parts = shown.map((codePoint) => this.#first([codePoint], mono, prefersEmoji) ?? mono);
    return [parts[0] ?? mono, ...parts.slice(1)];
  }

  /** Returns the typeface of a font of `mono` or `fontsFor`. It belongs to the caller. */
  typeface({ name }: PictureFont): Typeface {
    return this.provider.matchFamilyStyle(name, this.fontStyle({ isBold: false, isItalic: false }));
  }

  /** Returns a style in Skia's terms. */
  fontStyle({ isBold, isItalic }: TextStyle): FontStyle {
    const { FontWeight, FontSlant } = this.#kit;
    return {
      weight: isBold ? FontWeight.Bold : FontWeight.Normal,
      slant: isItalic ? FontSlant.Italic : FontSlant.Upright,
    };
  }

  #first(codePoints: readonly number[], mono: PictureFont, prefersEmoji: boolean): PictureFont | undefined {
    const hasAll = ({ has }: PictureFont) => codePoints.every(has);
    const own = prefersEmoji ? undefined : [mono, this.#sans].find(hasAll);
    if (own) return own;
    const { cjk, emoji } = this.#ofMachine();
    const inOrder = prefersEmoji ? [...emoji, mono, this.#sans, ...cjk] : [...cjk, ...emoji];
    return inOrder.find((font) => hasAll(font) && this.#isLoaded(font));
  }

  #bundled(file: string, isBold: boolean, isItalic: boolean): PictureFont {
    const [face] = facesOf(libraryFile(`dejavu-fonts-ttf/ttf/DejaVuSans${file}.ttf`));
    const font = { name: `Screenshot ${file}`, face: face!, has: charactersOf(face!), isBold, isItalic };
    if (!this.#register(font)) throw new Error(`${face!.path} cannot be read as a font`);
    this.#loaded.set(font, true);
    return font;
  }

  /** Finds the machine's fonts at the first call, which takes some milliseconds for each hundred. */
  #ofMachine(): MachineFonts {
    if (!this.#machine) {
      const faces = facesIn(this.#folders);
      this.#machine = { cjk: matching(faces, CJK), emoji: matching(faces, EMOJI) };
    }
    return this.#machine;
  }

  /** Returns whether a font can be drawn with; reads its file at the first call. */
  #isLoaded(font: PictureFont): boolean {
    let isLoaded = this.#loaded.get(font);
    if (isLoaded === undefined) {
      const bytes = bytesOf(font.face);
      isLoaded = bytes <= this.#bytesLeft && ifFont(() => this.#register(font)) === true;
      if (isLoaded) this.#bytesLeft -= bytes;
      this.#loaded.set(font, isLoaded);
    }
    return isLoaded;
  }

  /** Returns false for a file that Skia does not know as a font. */
  #register({ name, face }: PictureFont): boolean {
    // Skia returns null for such a file, which the library's types leave out.
    return (this.provider.registerFont(fileOf(face), name) as unknown) !== null;
  }
}

/** Returns the first families that match, each with its most regular face. */
function matching(faces: readonly NamedFace[], kinds: readonly RegExp[]): PictureFont[] {
  const families = [...new Set(faces.map(({ family }) => family))].sort();
  const found = new Set(kinds.flatMap((kind) => families.filter((family) => kind.test(family))));
  return [...found].slice(0, MAX_FALLBACKS).flatMap((name) => {
    const own = faces.filter(({ family }) => family === name).map(({ face }) => face);
    return ifFont(() => regularOf(name, own)) ?? [];
  });
}

function regularOf(name: string, faces: readonly Face[]): PictureFont {
  const [face] = faces
    .map((face) => ({ face, distance: distanceFromRegular(face) }))
    .sort((one, other) => one.distance - other.distance)
    .map(({ face }) => face);
  return { name, face: face!, has: charactersOf(face!), isBold: false, isItalic: false };
}
