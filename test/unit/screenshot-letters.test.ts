import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { createCanvas, GlobalFonts, loadImage, type SKRSContext2D } from '@napi-rs/canvas';
import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { drawPicture } from '#dist/workers/jobs/screenshot/picture.js';
import { ShownScreen } from '#dist/workers/jobs/screenshot/shown-screen.js';
import { loadKit } from '#dist/workers/jobs/screenshot/skia/kit.js';

/** A stretch of text in one style. */
interface Stretch {
  text: string;
  isBold: boolean;
  isItalic: boolean;
  color: number;
  background: number;
}

const [WIDTH, HEIGHT] = [9, 19];
const [COLS, ROWS] = [40, 6];
/** Largest allowed difference, of 255: the libraries round each blending differently, and slanted letters overlap. */
const MAX_DIFFERENCE = 4;
const kit = await loadKit();

/**
 * Registers the bundled fonts with another library, which draws the same text. That library has the same Skia, but
 * native code, and it lays text out as words of a page, where ours puts glyphs into columns.
 */
beforeAll(() => {
  const bundled = dirname(createRequire(import.meta.url).resolve('dejavu-fonts-ttf/package.json'));
  for (const [family, file] of [
    ...['', '-Bold', '-Oblique', '-BoldOblique'].map((style) => ['Oracle Mono', `Mono${style}`]),
    ['Oracle Sans', ''],
  ])
    GlobalFonts.registerFromPath(join(bundled, `ttf/DejaVuSans${file}.ttf`), family!);
});

const css = (color: number) => `#${color.toString(16).padStart(6, '0')}`;
const rgb = (color: number) => `${color >> 16};${(color >> 8) & 255};${color & 255}`;

function output(lines: Stretch[][]): string {
  const drawn = ({ text, isBold, isItalic, color, background }: Stretch) =>
    `\x1b[0${isBold ? ';1' : ''}${isItalic ? ';3' : ''};38;2;${rgb(color)};48;2;${rgb(background)}m${text}`;
  return lines.map((line) => line.map(drawn).join('')).join('\x1b[0m\r\n');
}

/** Draws each character into its column with the other library. */
function expected(lines: Stretch[][]): Uint8ClampedArray {
  const context = createCanvas(COLS * WIDTH, ROWS * HEIGHT).getContext('2d');
  context.fillStyle = '#0d1117';
  context.fillRect(0, 0, COLS * WIDTH, ROWS * HEIGHT);
  context.font = '16px "Oracle Mono"';
  const size = (16 * WIDTH) / (context.measureText('M'.repeat(100)).width / 100);
  for (const [row, line] of lines.entries()) drawLine(context, line, row, size);
  return context.getImageData(0, 0, COLS * WIDTH, ROWS * HEIGHT).data;
}

/** Draws all backgrounds first, since letters may reach into the next column. */
function drawLine(context: SKRSContext2D, line: Stretch[], row: number, size: number): void {
  let end = 0;
  const placed = line.map((stretch) => {
    const col = end;
    end += stretch.text.length;
    return { col, ...stretch };
  });
  for (const { col, text, background } of placed) {
    context.fillStyle = css(background);
    context.fillRect(col * WIDTH, row * HEIGHT, text.length * WIDTH, HEIGHT);
  }
  for (const { col, text, isBold, isItalic, color } of placed) {
    context.font = `${isItalic ? 'italic ' : ''}${isBold ? 'bold ' : ''}${size}px "Oracle Mono", "Oracle Sans"`;
    context.fillStyle = css(color);
    for (const [index, char] of [...text].entries()) centred(context, char, col + index, row);
  }
}

function centred(context: SKRSContext2D, char: string, col: number, row: number): void {
  const { width, fontBoundingBoxAscent: ascent, fontBoundingBoxDescent: descent } = context.measureText(char);
  const baseline = row * HEIGHT + Math.round((HEIGHT - ascent - descent) / 2 + ascent);
  // Letters are as wide as a column but for the last decimals; narrowing a letter by these would cost its hinting.
  if (Math.abs(width - WIDTH) < 0.001) context.fillText(char, col * WIDTH, baseline);
  else context.fillText(char, col * WIDTH + Math.max(0, (WIDTH - width) / 2), baseline, WIDTH);
}

async function actual(lines: Stretch[][]): Promise<Uint8ClampedArray> {
  const screen = new ShownScreen(output(lines), COLS, ROWS);
  try {
    const image = await loadImage(Buffer.from(drawPicture(kit, screen, false)));
    const context = createCanvas(image.width, image.height).getContext('2d');
    context.drawImage(image, 0, 0);
    return context.getImageData(0, 0, image.width, image.height).data;
  } finally {
    screen.dispose();
  }
}

/** Resolves with the largest difference of a channel of a pixel, of 255. */
async function difference(lines: Stretch[][]): Promise<number> {
  const [ours, others] = [await actual(lines), expected(lines)];
  expect(ours.length).toBe(others.length);
  return ours.reduce((most, value, at) => Math.max(most, Math.abs(value - others[at]!)), 0);
}

/** Characters of the bundled fonts: letters, and symbols that are narrowed or of the second font. */
const LETTERS = [...'ABMWgjqy@#%&{}|~§ÄßéñŁőΩπЖщя0123456789'];
const SYMBOLS = [...'★☆✓→⇒∑√∞≈≤…•◆●○▶⌘⏎№™ǅǋ'];

const stretches = (chars: string[]) =>
  fc.record<Stretch>({
    text: fc.string({ unit: fc.constantFrom(...chars), minLength: 1, maxLength: 10 }),
    isBold: fc.boolean(),
    isItalic: fc.boolean(),
    color: fc.integer({ min: 0, max: 0xffffff }),
    background: fc.integer({ min: 0, max: 0xffffff }),
  });
const screens = (chars: string[]) =>
  fc.array(fc.array(stretches(chars), { minLength: 1, maxLength: 4 }), { minLength: ROWS, maxLength: ROWS });

describe('text looks as another library draws it', () => {
  test('letters of all styles and colours', async () => {
    await fc.assert(
      fc.asyncProperty(screens(LETTERS), async (lines) => {
        expect(await difference(lines)).toBeLessThanOrEqual(MAX_DIFFERENCE);
      }),
      { numRuns: 40 },
    );
  });

  test('symbols', async () => {
    await fc.assert(
      fc.asyncProperty(screens(SYMBOLS), async (lines) => {
        expect(await difference(lines)).toBeLessThanOrEqual(MAX_DIFFERENCE);
      }),
      { numRuns: 40 },
    );
  });
});
