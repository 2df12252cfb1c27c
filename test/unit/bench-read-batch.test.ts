import { describe, expect, it } from 'vitest';
import { BatchReader } from '../../bench/support/read-batch.js';

const NAMES = new Map([
  ['term_a', 'shell 1'],
  ['term_b', 'shell 10'],
]);
const EXPECTED = { lines: 2, lineOf: (id: string, index: number) => `${id} ${index}`, exitCode: 7 };
const LINES = [
  'shell 1  | term_a 0',
  'shell 10 | term_b 0',
  'shell 1  | term_a 1',
  'shell 10 | term_b 1',
  'term_a\tshell 1\t7\t12 ms\t',
  'term_b\tshell 10\t7\t3.4 s\t',
];

function rightOf(lines: readonly string[]): number {
  const reader = new BatchReader(NAMES, EXPECTED);
  for (const line of lines) reader.take(line);
  return reader.right;
}

describe('the reader of `batch run`', () => {
  it('counts the terminals with all of their lines and the exit code', () => {
    expect(rightOf(LINES)).toBe(2);
    expect(rightOf([])).toBe(0);
  });

  it.each([
    ['a line is missing', LINES.toSpliced(1, 1)],
    ['the last line is missing', LINES.toSpliced(3, 1)],
    ['a line comes twice', [...LINES, LINES[3]!]],
    ['lines are in another order', LINES.toSpliced(1, 1).toSpliced(3, 0, LINES[1]!)],
    ['a line is that of another terminal', LINES.with(3, 'shell 10 | term_a 1')],
    ['its exit code is another', LINES.with(5, 'term_b\tshell 10\t75\t3.4 s\t')],
    ['its row is missing', LINES.slice(0, 5)],
    ['its row comes twice', [...LINES, LINES[5]!]],
  ])('leaves out a terminal if %s', (_what, lines) => {
    expect(rightOf(lines)).toBe(1);
  });

  it('takes no line that belongs to no terminal', () => {
    expect(() => rightOf(['auto-terminal: output of term_a is missing here'])).toThrow(
      'a line without the id of a terminal',
    );
    expect(() => rightOf(['shell 2 | term_a 0'])).toThrow(
      'a line without the id of a terminal: shell 2 | term_a 0',
    );
  });
});
