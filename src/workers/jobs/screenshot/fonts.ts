import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { GlobalFonts, type SKRSContext2D } from '@napi-rs/canvas';
import type { CellSize } from './cell-size.js';

const MONO = 'Screenshot Mono';
/** Has symbols and faces that the other has not. What both lack comes from the fonts of the machine, by their names. */
const SANS = 'Screenshot Sans';

const FILES: readonly (readonly [string, string])[] = [
  [MONO, 'DejaVuSansMono.ttf'],
  [MONO, 'DejaVuSansMono-Bold.ttf'],
  [MONO, 'DejaVuSansMono-Oblique.ttf'],
  [MONO, 'DejaVuSansMono-BoldOblique.ttf'],
  [SANS, 'DejaVuSans.ttf'],
];

/** Families of Chinese, Japanese and Korean, the better ones first. */
const CJK = [
  /^(noto|source han) sans.* mono\b|^sarasa mono|^noto sans mono cjk/i,
  /^(noto|source han) sans.*(cjk|hw|jp|sc|tc|kr)\b|^source han sans/i,
  /^(pingfang|hiragino (kaku|sans)|apple sd gothic|microsoft yahei|ms gothic|meiryo|malgun gothic)/i,
  /^(wenquanyi|droid sans fallback|ipa(ex)?gothic|ipa(ex)? ?p?gothic|takao|vl gothic|nanum|un ?dotum|baekmuk)/i,
  /cjk|^source han|^(heiti|songti|stheiti|simsun|simhei|ar pl|unifont)/i,
];

/** Families of emoji, the coloured ones first. */
const EMOJI = [
  /^(noto color emoji|apple color emoji|segoe ui emoji|twitter color emoji|twemoji|joypixels|emojione)/i,
  /emoji|^symbola/i,
];

/** Families of a kind that are named: a machine may have hundreds, and each is asked for what the ones before it lack. */
const MAX_FALLBACKS = 6;

/** Columns measured at once, since the widths of few are rounded. */
const MEASURED = 100;

/** The text of a picture. */
export interface Typeface {
  /** For each of plain, bold, italic, and both, as `font` of a context. */
  fonts: Record<'plain' | 'bold' | 'italic' | 'boldItalic', string>;
  /** For an emoji, of which the machine's fonts have a better picture. */
  emoji: string;
  /** Brings each character to its column, as `letterSpacing` of a context. */
  letterSpacing: string;
  /** Pixels from the top of a row to the line that letters stand on. */
  baseline: number;
}

/** Fonts are those of the process, whichever thread has registered them. */
export function registerFonts(): void {
  if (GlobalFonts.has(SANS)) return;
  const require = createRequire(import.meta.url);
  const folder = join(dirname(require.resolve('dejavu-fonts-ttf/package.json')), 'ttf');
  for (const [family, file] of FILES) {
    const key = GlobalFonts.registerFromPath(join(folder, file), family);
    if (!key) throw new Error(`${file} cannot be read as a font`);
  }
}

/** The typeface of which a character is as wide as a cell. The fonts are registered. */
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

/** Skia looks for a character in no family that is not named, so the first of each kind are. */
function matching(families: readonly string[], kinds: readonly RegExp[]): string[] {
  const found = kinds.flatMap((kind) => families.filter((family) => kind.test(family)).sort());
  return [...new Set(found)].slice(0, MAX_FALLBACKS);
}
