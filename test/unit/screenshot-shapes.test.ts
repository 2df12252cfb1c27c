import { describe, expect, test } from 'vitest';
import { drawPicture } from '#dist/workers/jobs/screenshot/picture.js';
import { ShownScreen } from '#dist/workers/jobs/screenshot/shown-screen.js';
import { loadKit } from '#dist/workers/jobs/screenshot/skia/kit.js';
import { Picture } from '../support/picture.js';

const kit = await loadKit();

const INK = '#ffffff';

/** The picture of these rows of text, white on the page. */
async function drawn(...rows: string[]): Promise<Picture> {
  const cols = Math.max(...rows.map((row) => [...row].length));
  const screen = new ShownScreen(
    `\x1b[38;2;255;255;255m${rows.join('\r\n')}`,
    Math.max(2, cols),
    rows.length,
  );
  try {
    return await Picture.read(drawPicture(kit, screen, false));
  } finally {
    screen.dispose();
  }
}

/** Returns the names of the edges that have ink in the middle. */
function edges(picture: Picture, col: number, row = 0): string {
  const bitmap = picture.bitmap(col, row, INK);
  const upright = (x: number) => bitmap.map((line) => line[x]).join('');
  const isInked = (line: string) => line.slice(2, -2).includes('#');
  const named: [string, string][] = [
    ['up', bitmap[0]!],
    ['right', upright(8)],
    ['down', bitmap.at(-1)!],
    ['left', upright(0)],
  ];
  return named
    .filter(([, line]) => isInked(line))
    .map(([name]) => name)
    .join(' ');
}

describe('box drawing', () => {
  test.each([
    ['─━═╌┄┈╼', 'right left'],
    ['┌┏╔╭╓╒', 'right down'],
    ['┐┓╗╮╖╕', 'down left'],
    ['└┗╚╰╙╘', 'up right'],
    ['┘┛╝╯╜╛', 'up left'],
    ['├┣╠╞╟', 'up right down'],
    ['┤┫╣╡╢', 'up down left'],
    ['┬┳╦╤╥', 'right down left'],
    ['┴┻╩╧╨', 'up right left'],
    ['┼╋╬╪╫', 'up right down left'],
    ['╴╸', 'left'],
    ['╵╹', 'up'],
    ['╶╺', 'right'],
    ['╷╻', 'down'],
  ])('%s reach these edges: %s', async (text, reached) => {
    // Dashes end in a gap.
    const isDashed = (char: string) => '╌┄┈'.includes(char);
    const picture = await drawn(text);
    for (const [col, char] of [...text].entries()) {
      const expected = isDashed(char) ? reached.replace('right ', '') : reached;
      expect([char, edges(picture, col)]).toEqual([char, expected]);
    }
  });

  test('every character of the block has ink, and a crossing of light lines is one pixel thick', async () => {
    const all = Array.from({ length: 128 }, (_, index) => String.fromCharCode(0x2500 + index)).join('');
    const picture = await drawn(all);
    const empty = [...all].filter((_, col) => picture.colors(col, 0).size === 1);
    expect(empty).toEqual([]);
    const light = picture.bitmap(all.indexOf('┼'), 0, INK);
    expect(light.filter((line) => line === '....#....')).toHaveLength(18);
    expect(light[9]).toBe('#########');
  });

  test('scan lines, as DEC graphics too, go from edge to edge, one below the other', async () => {
    const picture = await drawn('⎺⎻─⎼⎽');
    const rows = Array.from({ length: 5 }, (_, col) => picture.bitmap(col, 0, INK).indexOf('#########'));
    expect(rows).toEqual([0, 5, 9, 14, 18]);
    const graphics = await drawn('\x1b(0opqrs\x1b(B');
    for (let col = 0; col < 5; col++)
      expect(graphics.bitmap(col, 0, INK)).toEqual(picture.bitmap(col, 0, INK));
  });

  test('double lines make corners without gaps or spurs', async () => {
    const picture = await drawn('╔╬');
    const corner = picture.bitmap(0, 0, INK);
    expect(corner.slice(6, 13)).toEqual(
      ['.........', '..#######', '..#......', '..#......', '..#......', '..#...###', '..#...#..'].map(
        (line, index) => (index === 6 ? '..#...#..' : line),
      ),
    );
    const crossing = picture.bitmap(1, 0, INK);
    expect(crossing.slice(6, 12)).toEqual([
      '..#...#..',
      '###...###',
      '.........',
      '.........',
      '.........',
      '###...###',
    ]);
  });

  test('lines join over rows and columns', async () => {
    const picture = await drawn('╭──┬──╮', '│  │  │', '╰──┴──╯');
    for (const row of [0, 1, 2]) {
      const middle = picture.bitmap(3, row, INK).map((line) => line[4]);
      expect(middle.filter((pixel) => pixel === '#').length).toBe([10, 19, 10][row]);
    }
    for (const col of [1, 2, 4, 5]) expect(picture.bitmap(col, 0, INK)[9]).toBe('#########');
  });
});

describe('blocks', () => {
  const count = (picture: Picture, col: number) => picture.colors(col, 0).get(INK) ?? 0;

  test('full blocks leave no gap', async () => {
    const picture = await drawn('██', '██');
    for (const [col, row] of [
      [0, 0],
      [1, 0],
      [0, 1],
      [1, 1],
    ] as const)
      expect(picture.colors(col, row)).toEqual(new Map([[INK, 171]]));
  });

  test('halves and quadrants make up a cell', async () => {
    const picture = await drawn('▀▄▌▐▘▟▙▝▛▗▜▖▚▞');
    for (let col = 0; col < 14; col += 2)
      expect([col, count(picture, col) + count(picture, col + 1)]).toEqual([col, 171]);
    expect(picture.at(0, 0)).toBe(INK);
    expect(picture.at(1, 0)).not.toBe(INK);
  });

  test('eighths grow', async () => {
    for (const text of ['▁▂▃▄▅▆▇█', '▏▎▍▌▋▊▉█']) {
      const picture = await drawn(text);
      const sizes = [...text].map((_, col) => count(picture, col));
      expect(sizes).toEqual([...sizes].sort((one, other) => one - other));
      expect(new Set(sizes).size).toBe(8);
    }
  });

  test('shades are even, and darker than full', async () => {
    const picture = await drawn('░▒▓');
    const shades = [0, 1, 2].map((col) => [...picture.colors(col, 0).keys()]);
    expect(shades.map((colors) => colors.length)).toEqual([1, 1, 1]);
    expect(shades.flat()).toEqual([...shades.flat()].sort());
    expect(shades.flat().at(-1)! < INK).toBe(true);
  });

  test('sextants and braille have a part for each bit', async () => {
    const sextants = await drawn('\u{1fb00}\u{1fb3b}\u{1fb13}\u{1fb14}');
    expect(sextants.at(0, 0)).toBe(INK);
    expect(count(sextants, 0) + count(sextants, 1)).toBe(171);
    // The third and fifth part, then the second, third and fifth. Between these two would be the left half, which has a
    // block character.
    const parts = (col: number) =>
      [0, 8, 16].flatMap((y) => [0, 8].map((x) => Number(sextants.at(col, 0, x, y) === INK))).join('');
    expect([parts(2), parts(3)]).toEqual(['001010', '011010']);
    // All parts but the upper left are drawn.
    expect(sextants.at(1, 0)).not.toBe(INK);
    const braille = await drawn('⠁⠃⠇⡇⣇⣧⣷⣿');
    expect([...Array(8).keys()].map((col) => count(braille, col))).toEqual([4, 8, 12, 16, 20, 24, 28, 32]);
  });
});

describe('lines of text', () => {
  const rowOf = (picture: Picture, color = INK) =>
    picture.bitmap(0, 0, color).flatMap((line, y) => (line.includes('#') ? [y] : []));

  test.each([
    ['underline', '\x1b[4m ', [16]],
    ['double underline', '\x1b[21m ', [16, 18]],
    ['curly', '\x1b[4:3m ', [16, 17]],
    ['dotted', '\x1b[4:4m ', [16]],
    ['dashed', '\x1b[4:5m ', [16]],
    ['struck', '\x1b[9m ', [11]],
    ['overlined', '\x1b[53m ', [0]],
    ['a link', '\x1b]8;;http://example.com\x07 \x1b]8;;\x07', [16]],
  ])('%s', async (_name, text, lines) => {
    expect(rowOf(await drawn(text))).toEqual(lines);
  });

  test('an underline may have a colour of its own', async () => {
    expect(rowOf(await drawn('\x1b[4;58;2;255;0;0m '), '#ff0000')).toEqual([16]);
  });
});
