import type { Random } from './random.js';
import type { Size, Step } from './screen-pair.js';

const NARROW = ['ok', 'error:', 'src/file.ts', 'x'.repeat(30), 'é', 'e\u0301', '\u200d', 'ﬁ', '\u00a0', '~'];
const WORDS = [...NARROW, '中文', '😀'];
const NO_AUTOWRAP = '\x1b[?7l';
const COLORS = [
  '31',
  '1',
  '22',
  '0',
  '',
  '38;5;208',
  '48;2;1;2;3',
  '4:3',
  '7',
  '39',
  '1;31',
  '0;42',
  ';4',
  '58:5:9',
  '24',
];
/** Sequences that change how plain text is handled, and others. */
const OTHER = [
  ...[
    '\x1b[H',
    '\x1b[2J',
    '\x1b[5;3H',
    '\x1b[A',
    '\x1b[3D',
    '\x1b[2;4r',
    '\x1b[r',
    '\x1b[?6h',
    '\x1b[?6l',
    '\x1b[4h',
    '\x1b[4l',
  ],
  ...[
    '\x1b[?7h',
    '\x1b[20h',
    '\x1b[20l',
    '\x1b(0',
    '\x1b(B',
    '\x0e',
    '\x0f',
    '\x1b)0',
    '\x1b[?1049h',
    '\x1b[?1049l',
  ],
  ...[
    '\x1b[?47h',
    '\x1b[?47l',
    '\x1b7',
    '\x1b8',
    '\x1b[s',
    '\x1b[u',
    '\x1bH',
    '\x1b[3g',
    '\x1bM',
    '\x1bD',
    '\x1bE',
    '\b\b',
    '\x0b',
    '\x0c',
  ],
  ...[
    '\x1b]0;title\x07',
    '\x1b]8;;http://a\x1b\\',
    '\x1b]8;;\x1b\\',
    '\x1b]133;A\x07',
    '\x1b]4;1;#123456\x07',
    '\x1b]104\x07',
  ],
  ...[
    '\x1b[?2004h',
    '\x1b[?25l',
    '\x1b[?1h',
    '\x1b[3J',
    '\x1b[1"q',
    '\x1b[0"q',
    '\x1b[2 q',
    '\x1b[b',
    '\x1b[2L',
    '\x1b[M',
    '\x1b[@',
  ],
  ...[
    '\x1b[31\x1b[32m',
    '\x1b[3\n1m',
    '\x1b[>4;1m',
    '\x1b[?1m',
    '\x1b[5 @',
    '\x1bc',
    '\x1b[!p',
    '\x9b31m',
    '\u009b32m',
    '\x7f',
    '\0',
  ],
  ...['\x1bPq#0\x1b\\', '\x1b_apc\x1b\\', `\x1b]2;${'t'.repeat(200)}\x07`, '\x1b[6n', '\x1b[c'],
];
const BROKEN = [
  [0xff],
  [0xc2],
  [0xe2, 0x80],
  [0xed, 0xa0, 0x80],
  [0xf4, 0x90, 0x80, 0x80],
  [0xc0, 0xaf],
  [0xf0, 0x9f, 0x98],
];

/** A size that plain text soon fills, including the scrollback. */
export function smallSize(random: Random): Size & { scrollback: number } {
  return { cols: 2 + random.below(38), rows: 1 + random.below(9), scrollback: random.of([0, 1, 5, 20, 40]) };
}

/**
 * Output and resizes for a terminal, mostly plain text in many lines. If autowrap may be off, there are no wide
 * characters: what xterm does with a wide character that does not fit depends on where the writes are cut.
 */
export function plainStream(random: Random): Step[] {
  const steps: Step[] = [];
  const isWide = random.below(2) === 0;
  const words = isWide ? WORDS : NARROW;
  const others = isWide ? OTHER : [...OTHER, NO_AUTOWRAP, NO_AUTOWRAP];
  for (let left = 1 + random.below(8); left > 0; left--) {
    const kind = random.below(20);
    if (kind < 12) steps.push(...cut(random, lines(random, 1 + random.below(150), words)));
    else if (kind < 17) steps.push(...cut(random, Buffer.from(random.of(others))));
    else if (kind < 18) steps.push(Buffer.from(random.of(BROKEN)));
    else if (kind < 19) steps.push({ cols: 2 + random.below(38), rows: 1 + random.below(9) });
    else
      steps.push(...cut(random, Buffer.from(`${random.of(others)}${random.of(words)}${random.of(others)}`)));
  }
  return steps;
}

function lines(random: Random, count: number, words: readonly string[]): Buffer {
  const isColoured = random.below(3) > 0;
  const ends = random.of([
    ['\r\n'],
    ['\r\n'],
    ['\n'],
    ['\n', '\n', '\n', '\r\n'],
    ['\r\n', '\n', '\r', '\r\r\n', '\n\n'],
    ['\r\n', ''],
  ]);
  let text = '';
  for (let line = 0; line < count; line++) {
    for (let left = random.below(6); left > 0; left--) {
      if (isColoured && random.below(2) === 0) text += `\x1b[${random.of(COLORS)}m`;
      text += random.of(words) + random.of(['', ' ', '\t', '  ', '\x07']);
    }
    if (isColoured && random.below(3) === 0)
      text += random.of(['\x1b[m', '\x1b[K', '\x1b[0m\x1b[K', '\x1b[1K', '\x1b[2K']);
    text += random.of(ends);
  }
  return Buffer.from(text);
}

/** Returns the bytes in pieces that end anywhere. */
export function cut(random: Random, bytes: Buffer): Buffer[] {
  const pieces: Buffer[] = [];
  const most = random.of([1, 7, 60, 1_000, 1_000, 100_000]);
  for (let at = 0; at < bytes.length; ) {
    const to = at + 1 + random.below(Math.max(most, bytes.length / 200));
    pieces.push(bytes.subarray(at, to));
    at = to;
  }
  return pieces;
}
