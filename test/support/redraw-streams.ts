import type { Random } from './random.js';

const ESC = '\x1b';

/** How a program erases a row: before its text, behind its text, or both. */
type Style = 'before' | 'behind' | 'both';

/** Properties that stay the same from redraw to redraw. */
interface Shape {
  style: Style;
  /** Whether all rows are erased on the way up, before anything is drawn. */
  erasesGoingUp: boolean;
  /** Colours before, within and behind the text of each row. */
  rows: string[][];
  begin: string;
  end: string;
  /** Whether the redraw ends behind the text of the last row, without a line feed. */
  isOpenEnded: boolean;
}

const COLORS = [
  '',
  `${ESC}[m`,
  `${ESC}[31m`,
  `${ESC}[1;48;5;20m`,
  `${ESC}[2m`,
  `${ESC}[22;39m`,
  `${ESC}[7m`,
  `${ESC}[27;49m`,
];
const WORDS = ['word', ' ', 'é', 'e\u0301', '─', '█', '⠋', '…', '中', '👩', 'x'.repeat(7), 'q'];

function shape(random: Random, size: { rows: number }): Shape {
  const count = 1 + random.below(Math.min(8, size.rows + 1));
  const colors = () => Array.from({ length: 3 }, () => random.of(COLORS));
  return {
    style: random.of(['before', 'behind', 'both'] as const),
    erasesGoingUp: random.below(3) === 0,
    rows: Array.from({ length: count }, colors),
    begin: random.of(['', `${ESC}[?25l`, `${ESC}[?2026h`]),
    end: random.of(['', `${ESC}[?25h`, `${ESC}[?2026l`]),
    isOpenEnded: random.below(4) === 0,
  };
}

function text(random: Random, cols: number): string {
  let words = '';
  // A line rarely gets enough text to wrap.
  const most = random.below(10) === 0 ? cols : random.below(cols / 2);
  while (words.length < most) words += random.of(WORDS);
  return words;
}

/** Draws the rows of a shape with random text, from the row on which the last redraw ended. */
function redraw(
  random: Random,
  { style, erasesGoingUp, rows, begin, end, isOpenEnded }: Shape,
  cols: number,
): string {
  const up = rows.length - (isOpenEnded ? 1 : 0);
  const way = erasesGoingUp
    ? `${ESC}[2K${`${ESC}[A${ESC}[2K`.repeat(up)}${ESC}[G`
    : up > 0
      ? `${ESC}[${up}A\r`
      : '\r';
  const lines = rows.map(([before, within, behind]) => {
    const words = `${before}${text(random, cols / 2)}${within}${text(random, cols / 2)}${behind}`;
    return `${style === 'behind' ? '' : `${ESC}[2K`}${words}${style === 'before' ? '' : `${ESC}[K`}`;
  });
  return `${begin}${way}${lines.join('\r\n')}${isOpenEnded ? '' : '\r\n'}${end}`;
}

/** Joins one to five pieces, as a busy machine does. */
function joined(random: Random, piece: () => string): Buffer {
  const count = random.below(4) === 0 ? 2 + random.below(4) : 1;
  return Buffer.from(Array.from({ length: count }, piece).join(''));
}

/** Parts of a redraw, in any order; `text` stands for text that differs each time. */
const PARTS = [
  'text',
  'text',
  'text',
  '\r',
  '\r',
  '\n',
  '\r\n',
  `${ESC}[A`,
  `${ESC}[2A`,
  `${ESC}[F`,
  `${ESC}[G`,
  `${ESC}[K`,
  `${ESC}[K`,
  `${ESC}[2K`,
  `${ESC}[2K`,
  `${ESC}[31m`,
  `${ESC}[44m`,
];

/**
 * Returns parts that end on the row on which they begin, if nothing scrolls. Few results are redraws that can be
 * skipped.
 */
function anyParts(random: Random): string[] {
  const parts = [random.of(['\r', `${ESC}[A`, `${ESC}[2A`, `${ESC}[2K`])];
  while (parts.length < 12 && random.below(8) > 0) parts.push(random.of(PARTS));
  const down = parts.filter((part) => part.endsWith('\n')).length;
  const up = parts.reduce((sum, part) => sum + (part === `${ESC}[2A` ? 2 : /\[[AF]$/.test(part) ? 1 : 0), 0);
  return down > up ? [`${ESC}[${down - up}A`, ...parts] : [...parts, ...Array(up - down).fill('\n')];
}

const OTHERS = [
  'plain text\r\n',
  '\n',
  '\r\n\r\n\r\n\r\n\r\n\r\n\r\n\r\n',
  `${ESC}[2;4r`,
  `${ESC}[r`,
  `${ESC}[4h`,
  `${ESC}[4l`,
  `${ESC}[?7l`,
  `${ESC}[?7h`,
  `${ESC}[?6h`,
  `${ESC}[?6l`,
  `${ESC}[?1049h`,
  `${ESC}[?1049l`,
  `${ESC}[3;2H`,
  `${ESC}[2A`,
  `${ESC}[99B`,
  `${ESC}c`,
  `${ESC}[2J`,
  `${ESC}[44m`,
  `${ESC}[20h`,
  `${ESC}[20l`,
  `${ESC}(0`,
  `${ESC}(B`,
  `${ESC}[3b`,
  `${ESC}[L`,
  `${ESC}[2M`,
  `${ESC}[5`,
  `${ESC}]0;title`,
  'x'.repeat(50),
];

/** Yields the output of a program that redraws its rows, sometimes in another way or amid other output; and resizes. */
export function* redrawStream(
  random: Random,
  size: { cols: number; rows: number },
  pieces: number,
): Generator<Buffer | { cols: number; rows: number }> {
  let now = size;
  let like = shape(random, now);
  for (let left = pieces; left > 0; left--) {
    const what = random.below(40);
    if (what === 0) like = shape(random, now);
    if (what === 1) {
      now = { cols: 2 + random.below(30), rows: 1 + random.below(12) };
      yield now;
    }
    if (what < 5) yield Buffer.from(random.of(OTHERS));
    if (what > 35) {
      const parts = anyParts(random);
      const piece = () => parts.map((part) => (part === 'text' ? text(random, now.cols / 3) : part)).join('');
      for (let again = 5; again > 0; again--) yield joined(random, piece);
    }
    if (what === 8) like = { ...like, rows: like.rows.map((row) => [...row].reverse()) };
    const bytes = joined(random, () => redraw(random, like, now.cols));
    if (what === 5) {
      const cut = random.below(bytes.length);
      yield bytes.subarray(0, cut);
      yield bytes.subarray(cut);
    } else {
      // Replaces one byte by a random byte.
      if (what === 7) bytes[random.below(bytes.length)] = random.below(256);
      yield bytes;
    }
  }
}
