import { GlobalFonts, type SKRSContext2D } from '@napi-rs/canvas';
import { libraryFile } from '../../vendored.js';
import type { CellSize } from './cell-size.js';

const MONO = 'Screenshot Mono';
/** Has symbols that the mono font lacks. Characters that both lack come from the machine's fonts, named by family. */
const SANS = 'Screenshot Sans';

const FILES: readonly (readonly [string, string])[] = [
  [MONO, 'DejaVuSansMono.ttf'],
  [MONO, 'DejaVuSansMono-Bold.ttf'],
  [MONO, 'DejaVuSansMono-Oblique.ttf'],
  [MONO, 'DejaVuSansMono-BoldOblique.ttf'],
  [SANS, 'DejaVuSans.ttf'],
];

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

/** Most families of a kind to name: a machine may have hundreds, and each is tried for what the earlier ones lack. */
const MAX_FALLBACKS = 6;

/** Columns measured at once, since the width of a few columns is rounded. */
const MEASURED = 100;

/** Fonts and metrics for the text of a picture. */
export interface Typeface {
  /** Values for `font` of a context, for each style. */
  fonts: Record<'plain' | 'bold' | 'italic' | 'boldItalic', string>;
  /** Value for `font` of a context that prefers the machine's emoji fonts, which have better pictures. */
  emoji: string;
  /** Value for `letterSpacing` of a context that puts each character into its column. */
  letterSpacing: string;
  /** Pixels from the top of a row to the line that letters stand on. */
  baseline: number;
}

/** Registers the bundled fonts, if no thread has: fonts belong to the process. Throws if a file is not a font. */
export function registerFonts(): void {
  if (GlobalFonts.has(SANS)) return;
  for (const [family, file] of FILES) {
    const key = GlobalFonts.registerFromPath(libraryFile(`dejavu-fonts-ttf/ttf/${file}`), family);
    if (!key) throw new Error(`${file} cannot be read as a font`);
  }
}

/** Returns the typeface whose characters are as wide as a cell. Call `registerFonts` first. */
export function typefaceFor(context: SKRSContext2D, { width, height }: CellSize): Typeface {
  const families = GlobalFonts.families.map(({ family }) => family);
  const emoji = matching(families, EMOJI);
  const all = [MONO, SANS, ...matching(families, CJK), ...emoji];
  const fontOf = (style: string, px: number, of = all) =>
    `${style}${px}px ${of.map((family) => JSON.stringify(family)).join(', ')}`;
  const widthAt = (px: number) => {
    context.font = fontOf('', px);
    return context.measureText('M'.repeat(MEASURED)).width / MEASURED;
  };
  const px = (16 * width) / widthAt(16);
  const letterSpacing = `${width - widthAt(px)}px`;
  const { fontBoundingBoxAscent: ascent, fontBoundingBoxDescent: descent } = context.measureText('M');
  return {
    fonts: {
      plain: fontOf('', px),
      bold: fontOf('bold ', px),
      italic: fontOf('italic ', px),
      boldItalic: fontOf('italic bold ', px),
    },
    emoji: fontOf('', px, [...emoji, ...all]),
    letterSpacing,
    baseline: Math.round((height - ascent - descent) / 2 + ascent),
  };
}

/** Returns the first families that match. Skia searches only named families for a character. */
function matching(families: readonly string[], kinds: readonly RegExp[]): string[] {
  const found = kinds.flatMap((kind) => families.filter((family) => kind.test(family)).sort());
  return [...new Set(found)].slice(0, MAX_FALLBACKS);
}
