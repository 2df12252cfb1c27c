import { cut } from './plain-streams.js';
import type { Random } from './random.js';
import type { Size, Step } from './screen-pair.js';

const WORDS = ['ok', 'error:', 'src/file.ts', 'x'.repeat(30), 'é', '中文', '😀', '\t', 'a b  c'];
const COLORS = ['\x1b[m', '\x1b[1;32m', '\x1b[38:5:9m', '\x1b[7m', '\x1b[27m', ''];
/** Sequences that a line editor and a prompt print beside text, and a few that only a screen follows. */
const EDITS = [
  ...['\b', '\b\b\b', '\x1b[C', '\x1b[3C', '\x1b[D', '\x1b[12D', '\x1b[A', '\x1b[2B', '\x1b[0A', '\x1b[99C'],
  ...['\x1b[K', '\x1b[1K', '\x1b[J', '\x1b[2J', '\x1b[P', '\x1b[3P', '\x1b[@', '\x1b[4@', '\r', '\n', '\x07'],
  ...['\x1b[?2004h', '\x1b[?2004l', '\x1b[?1h', '\x1b[?1l', '\x1b[?25l', '\x1b[?25h', '\x1b=', '\x1b>'],
  ...['\x1b]0;title é\x07', '\x1b]2;中\x1b\\', '\x1b]7;file:///tmp\x07', '\x1b]133;B;k=1\x07', '\x1b]\x07'],
  ...[
    '\x1b[H',
    '\x1b[6n',
    '\x1b[?1049h',
    '\x1b[?1049l',
    '\x1b]8;;a\x07',
    '\x1b[1;2A',
    '\x1b[0?2004h',
    '\x1b[0?1h',
    '\x1b[?1;25h',
    'e\u0301',
  ],
  ...[
    '\x1b[?7l\x1b[?7h',
    '\x1b[20h',
    '\x1b[20l',
    '\x1b[?45h',
    '\x1b[?45l',
    '\x1b]0;a\x1b[m',
    '\x1b]9;x\x07',
    '\x0e',
    '\xad',
  ],
];

/** Returns the output of a shell that edits lines and runs commands, and resizes. */
export function shellStream(random: Random, { cols, rows }: Size): Step[] {
  const steps: Step[] = [];
  const mark = (text: string) => (random.below(4) > 0 ? `\x1b]133;${text};k=1\x07` : '');
  const text = (most: number) =>
    Array.from({ length: random.below(most) }, () => random.of(COLORS) + random.of(WORDS)).join('');
  for (let left = 4 + random.below(30); left > 0; left--) {
    const kind = random.below(40);
    let output: string;
    if (kind < 10) output = `${mark('A')}\x1b[?2004h${text(4)}$ ${mark('B')}`;
    else if (kind < 22)
      output = Array.from({ length: 1 + random.below(8) }, () =>
        random.of([...WORDS, random.of(EDITS)]),
      ).join('');
    else if (kind < 28) output = `\r\n\x1b[?2004l\r${mark('C')}`;
    else if (kind < 39)
      output = `${Array.from({ length: random.below(12) }, () => `${text(5)}${random.of(['\r\n', '\r\n', '\n'])}`).join('')}${mark('D;0')}`;
    else {
      steps.push({
        cols: random.of([cols, 1 + random.below(30)]),
        rows: random.of([rows, 1 + random.below(9)]),
      });
      continue;
    }
    steps.push(...cut(random, Buffer.from(output)));
  }
  return steps;
}
