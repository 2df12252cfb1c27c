import { describe, expect, test } from 'vitest';
import { MAX_SCREENSHOT_SIDE } from '#dist/contract/limits.js';
import { cellSize } from '#dist/workers/jobs/screenshot/cell-size.js';
import { drawPicture } from '#dist/workers/jobs/screenshot/picture.js';
import { ShownScreen } from '#dist/workers/jobs/screenshot/shown-screen.js';
import { loadKit } from '#dist/workers/jobs/screenshot/skia/kit.js';
import { Screen } from '#dist/workers/shard/screen/screen.js';
import { Picture } from '../support/picture.js';

const kit = await loadKit();

const PAGE = { color: '#d7dce2', background: '#0d1117' };
const RED = '#cd3131';
const GREEN = '#0dbc79';

/** Resolves with the picture of a program's output, drawn from a snapshot as a shard would return it. */
async function pictureOf(output: string, { cols = 20, rows = 3, hasCursor = false } = {}): Promise<Picture> {
  const screen = new Screen({ cols, rows, scrollback: 100 });
  screen.feed(Buffer.from(output));
  const shown = new ShownScreen(screen.serialize({ scrollback: false }), cols, rows);
  try {
    return await Picture.read(drawPicture(kit, shown, hasCursor), cellSize(cols, rows));
  } finally {
    screen.dispose();
    shown.dispose();
  }
}

/** Returns the most frequent colour of a cell. */
function fill(picture: Picture, col: number, row = 0): string {
  return [...picture.colors(col, row)].sort(([, one], [, other]) => other - one)[0]![0];
}

describe('cell size', () => {
  test('is the same for every terminal that fits, and whole pixels', () => {
    expect(cellSize(1, 1)).toEqual({ width: 9, height: 19 });
    expect(cellSize(120, 40)).toEqual({ width: 9, height: 19 });
    expect(cellSize(222, 105)).toEqual({ width: 9, height: 19 });
  });

  test.each([
    [1000, 1000],
    [1000, 50],
    [50, 1000],
    [500, 400],
    [223, 10],
    [10, 106],
  ])('keeps both sides of %i x %i within the bound of pixels', (cols, rows) => {
    const { width, height } = cellSize(cols, rows);
    expect(Math.max(cols * width, rows * height)).toBeLessThanOrEqual(MAX_SCREENSHOT_SIDE);
    const wider = width + 1;
    const side = Math.max(cols * wider, rows * Math.round((wider * 19) / 9));
    expect(side).toBeGreaterThan(width === 9 ? 0 : MAX_SCREENSHOT_SIDE);
  });
});

describe('colours of cells', () => {
  test('a picture is all of the screen and nothing more', async () => {
    const picture = await pictureOf('', { cols: 7, rows: 4 });
    expect([picture.width, picture.height]).toEqual([63, 76]);
    expect(picture.colors(6, 3)).toEqual(new Map([[PAGE.background, 9 * 19]]));
  });

  test.each([
    ['of the 16', '\x1b[41m ', RED],
    ['bright', '\x1b[101m ', '#f14c4c'],
    ['of the cube', '\x1b[48;5;208m ', '#ff8700'],
    ['grey', '\x1b[48;5;240m ', '#585858'],
    ['true', '\x1b[48;2;1;2;3m ', '#010203'],
    ['erased with', '\x1b[42m\x1b[K', GREEN],
    ['inverse without any', '\x1b[7m ', PAGE.color],
    ['inverse', '\x1b[7;31;42m ', RED],
    ['hidden', '\x1b[8;41mX', RED],
  ])('background: %s', async (_name, output, color) => {
    const picture = await pictureOf(output);
    expect(picture.colors(0, 0)).toEqual(new Map([[color, 9 * 19]]));
  });

  test.each([
    ['of the 16', '\x1b[31m█', RED],
    ['true', '\x1b[38;2;250;1;2m█', '#fa0102'],
    ['inverse', '\x1b[7;31;42m█', GREEN],
    ['of its own for none', '█', PAGE.color],
    // Six tenths of the text's colour, and four tenths of the background.
    ['dim', '\x1b[2;38;2;255;255;255;48;2;0;0;0m█', '#999999'],
  ])('text: %s', async (_name, output, color) => {
    expect((await pictureOf(output)).colors(0, 0)).toEqual(new Map([[color, 9 * 19]]));
  });

  test('a program may change the palette and the colours of the page', async () => {
    const picture = await pictureOf(
      '\x1b]4;1;#00ff00\x07\x1b]10;#123456\x07\x1b]11;#654321\x07█\x1b[41m \x1b[0m ',
    );
    expect([0, 1, 2].map((col) => picture.at(col, 0))).toEqual(['#123456', '#00ff00', '#654321']);
  });

  test('letters are drawn in their colour, each in its own cell', async () => {
    const picture = await pictureOf(`\x1b[31m${'M'.repeat(20)}\x1b[0m\r\n\x1b[1mM\x1b[0mM`);
    const [first, last, below] = [picture.colors(0, 0), picture.colors(19, 0), picture.colors(0, 1)];
    expect(first.get(RED)).toBeGreaterThan(10);
    // The columns do not drift apart over a row.
    expect(Math.abs(last.get(RED)! - first.get(RED)!)).toBeLessThan(6);
    expect(below.get(RED)).toBeUndefined();
    expect(below.get(PAGE.color)).toBeGreaterThan(picture.colors(1, 1).get(PAGE.color)!);
  });

  test('a wide character covers two cells', async () => {
    const picture = await pictureOf('\x1b[30;41m漢\x1b[0mx');
    expect([0, 1].map((col) => fill(picture, col))).toEqual([RED, RED]);
    expect(fill(picture, 2)).toBe(PAGE.background);
    expect(picture.colors(0, 0).size).toBeGreaterThan(1);
    expect(picture.colors(1, 0).size).toBeGreaterThan(1);
  });
});

describe('the cursor', () => {
  test.each([
    ['a block where the next character goes', 'ab', { col: 2, colors: new Map([[PAGE.color, 171]]) }],
    [
      'of the colour that a program has set',
      '\x1b]12;#ffff00\x07',
      { col: 0, colors: new Map([['#ffff00', 171]]) },
    ],
    ['not hidden', '\x1b[?25l', { col: 0, colors: new Map([[PAGE.background, 171]]) }],
    [
      'on the last column when about to wrap',
      'x'.repeat(19).concat(' '),
      { col: 19, colors: new Map([[PAGE.color, 171]]) },
    ],
    [
      'a bar',
      '\x1b[6 q',
      {
        col: 0,
        colors: new Map([
          [PAGE.color, 38],
          [PAGE.background, 133],
        ]),
      },
    ],
    [
      'an underline',
      '\x1b[4 q',
      {
        col: 0,
        colors: new Map([
          [PAGE.background, 153],
          [PAGE.color, 18],
        ]),
      },
    ],
  ])('is %s', async (_name, output, { col, colors }) => {
    expect((await pictureOf(output, { hasCursor: true })).colors(col, 0)).toEqual(colors);
  });

  test('a block shows the character under it, a wide character as a whole', async () => {
    const picture = await pictureOf('\x1b[31m漢M\r', { hasCursor: true });
    expect([0, 1].map((col) => fill(picture, col))).toEqual([PAGE.color, PAGE.color]);
    expect(picture.colors(0, 0).size).toBeGreaterThan(1);
    expect(fill(picture, 2)).toBe(PAGE.background);
    const onLetter = await pictureOf('\x1b[31mMM\r', { hasCursor: true });
    expect(onLetter.colors(0, 0).get(PAGE.background)).toBe(onLetter.colors(1, 0).get(RED));
  });

  test('is missing if the program has ended', async () => {
    const picture = await pictureOf('', { hasCursor: false });
    expect(picture.colors(0, 0)).toEqual(new Map([[PAGE.background, 171]]));
  });
});

describe('hostile output', () => {
  test('a cell with thousands of combining characters is drawn like any other', async () => {
    const picture = await pictureOf(`e${'\u0301'.repeat(100_000)}\x1b[41m `);
    expect(picture.at(1, 0)).toBe(RED);
  });

  test.each([
    [1, 1],
    [2, 1],
    [1, 30],
    [222, 1],
  ])('on a screen of %i x %i', async (cols, rows) => {
    const picture = await pictureOf('\x1b[41m漢\x1b[K', { cols, rows });
    expect(picture.height).toBe(rows * 19);
    expect(picture.width).toBe(Math.max(cols, 2) * 9);
  });
});
