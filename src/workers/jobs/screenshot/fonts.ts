import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { GlobalFonts, type SKRSContext2D } from '@napi-rs/canvas';
import type { CellSize } from './cell-size.js';

const MONO = 'Screenshot Mono';
/** Has symbols and faces that the other has not. What both lack comes from the fonts of the machine. */
const SANS = 'Screenshot Sans';

const FILES: readonly (readonly [string, string])[] = [
  [MONO, 'DejaVuSansMono.ttf'],
  [MONO, 'DejaVuSansMono-Bold.ttf'],
  [MONO, 'DejaVuSansMono-Oblique.ttf'],
  [MONO, 'DejaVuSansMono-BoldOblique.ttf'],
  [SANS, 'DejaVuSans.ttf'],
];

/** Columns measured at once, since the widths of few are rounded. */
const MEASURED = 100;

/** The text of a picture. */
export interface Typeface {
  /** For each of plain, bold, italic, and both, as `font` of a context. */
  fonts: Record<'plain' | 'bold' | 'italic' | 'boldItalic', string>;
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
    letterSpacing,
    baseline: Math.round((height - ascent - descent) / 2 + ascent),
  };
}

function fontOf(style: string, px: number): string {
  return `${style}${px}px "${MONO}", "${SANS}"`;
}
