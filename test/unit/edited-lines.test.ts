import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { editedLines } from '../../src/workers/shard/screen/backlog/edited-lines.js';
import { plainLines } from '../../src/workers/shard/screen/backlog/plain-lines.js';
import type { PrintStart } from '../../src/workers/shard/screen/text/print-start.js';
import { renderPrinted } from '../../src/workers/shard/screen/text/printed.js';
import { internals } from '../../src/workers/shard/screen/xterm/internals.js';
import { SteppedParser } from '../../src/workers/shard/screen/xterm/stepped-parser.js';
import { createTerminal } from '../../src/workers/shard/screen/xterm/terminal.js';
import { cutUp } from '../support/cut-up.js';
import { printStarts } from '../support/print-starts.js';
import { tries } from '../support/tries.js';

const START: PrintStart = { cols: 40, rows: 5, row: 2, col: 10, altScreen: false };

/** What bash draws when a command is pasted and entered at the prompt in START's column, up to the next prompt. */
const PASTED =
  '\x1b[7mls -l\x1b[27m\r' +
  '\x1b[C'.repeat(10) +
  'ls -l\r\n\x1b[?2004l\r\x1b]133;C\x07a.txt\r\nb.txt\r\n\x1b]133;D;0\x07\x1b[?2004hbash-5.2# ';

/** Output of shells, line editors and progress bars. */
const PARTS = [
  ...['ls', ' ', '   ', 'git commit', 'x', '10%', '=====>'],
  ...['\r', '\r', '\b', '\b \b', '\b\b'],
  ...['\r\n', '\r\n', '\r\r\n'],
  ...['\x1b[C', '\x1b[C\x1b[C', '\x1b[5C', '\x1b[0C', '\x1b[D', '\x1b[3D', '\x1b[G', '\x1b[7G', '\x1b[999C'],
  ...['\x1b[K', '\x1b[0K', '\x1b[J', '\x1b[44m\x1b[K\x1b[m', '\x1b[7m', '\x1b[27m'],
  ...['\x1b[?2004h', '\x1b[?2004l\r', '\x1b]133;C\x07', '\x1b]0;title\x1b\\', '\x07'],
];
/** Parts that some or all rows leave to a screen. */
const OTHERS = [
  ...[
    'é',
    '日本',
    '✓',
    '✅',
    'é'.repeat(30),
    '日'.repeat(14),
    'e\u0301',
    '\t',
    '\n',
    '\0',
    '\x7f',
    '\x0b',
    '\u0085',
  ],
  ...[
    '\x1b[A',
    '\x1b[1K',
    '\x1b[2K',
    '\x1b[P',
    '\x1b[2P',
    '\x1b[@',
    '\x1b[X',
    '\x1b[1;2C',
    '\x1b[?C',
    '\x1b[',
  ],
  ...['\x1b[\r1C', '\x1b[\r\x1b[2C', '\x1b[?7l', '\x1b[4h', '\x1b7', '\x1b8', '\x1b[2J', '\x1b[3b', '\x18'],
];

const part = fc.oneof(
  { weight: 30, arbitrary: fc.constantFrom(...PARTS) },
  { weight: 1, arbitrary: fc.constantFrom(...OTHERS) },
);

/** Returns the column of a screen's cursor after the output. */
function columnAfter(bytes: Uint8Array, { cols, rows, row, col, altScreen }: PrintStart): number {
  const terminal = createTerminal(cols, rows, 0);
  const core = internals(terminal);
  const parser = new SteppedParser(core);
  parser.parse(Buffer.from(`${altScreen ? '\x1b[?47h' : ''}\x1b[${row + 1};${col + 1}H`));
  parser.parse(bytes);
  const { x } = core.buffers.active;
  terminal.dispose();
  return x;
}

describe('editedLines', () => {
  it('gives the same lines as a screen, none of them full, or leaves them to the screen', async () => {
    const numRuns = tries(4_000);
    let taken = 0;
    let left = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(part, { maxLength: 40 }),
        fc.array(fc.nat(), { maxLength: 3 }),
        printStarts(60),
        async (parts, cuts, from) => {
          const bytes = Buffer.from(parts.join(''));
          const segments = cutUp(bytes, cuts).map((bytes) => ({ bytes }));
          const edited = editedLines(segments, from);
          if (!edited) {
            left++;
            return;
          }
          taken++;
          if (edited.isAtLineStart) expect(columnAfter(bytes, from)).toBe(0);
          const marksFull = true;
          const lines = await renderPrinted(segments, from, { alternate: false, marksFull });
          if (!from.altScreen) expect(edited.lines.map(trimmed).filter(Boolean)).toEqual(lines);
        },
      ),
      { numRuns },
    );
    expect(taken).toBeGreaterThan(numRuns / 4);
    expect(left).toBeGreaterThan(numRuns / 10);
  });

  it.each<[string, string, string]>([
    ['a command that bash draws twice', PASTED, 'ls -l\na.txt\nb.txt\nbash-5.2#'],
    ['a progress bar', '\r\n10%\r20%\r100%\r\ndone\r\n', '100%\ndone'],
    ['a corrected word', 'lss\b \b -a\r\n', 'ls -a'],
    ['text before the column where printing began', '\rab\r\n', 'ab'],
    ['a row of other characters', 'a\bb\r\n✓ passed, ✅ 日本\r\n', 'b\n✓ passed, ✅ 日本'],
    ['a row that is shortened', 'one two\x1b[4D\x1b[K\r\n', 'one'],
  ])('takes %s', async (_name, output, wanted) => {
    const segments = [{ bytes: Buffer.from(output) }];
    expect(plainLines(segments, START)?.text).toBe(wanted);
    expect((await renderPrinted(segments, START)).join('\n')).toBe(wanted);
  });

  it.each<[string, string]>([
    ['a row that may go on in the next row', `${'x'.repeat(30)}\b\r\n`],
    ['a full row beside an edited row', `${'x'.repeat(30)}\r\na\bb\r\n`],
    ['a move in a row that is not ASCII', 'é\bx\r\n'],
    ['a move in a row that has wrapped', `${'x'.repeat(35)}\bx\r\n`],
    ['a tab in an edited row', 'a\b\tb\r\n'],
    ['a line feed within an edited row', 'ab\b\nc\r\n'],
    ['output that clears the screen', '\rx\r\x1b[J'],
    ['moves to other rows', 'a\bb\x1b[A'],
  ])('leaves %s to a screen', (_name, output) => {
    expect(editedLines([{ bytes: Buffer.from(output) }], START)).toBeUndefined();
  });

  it('leaves resizes and long output to a screen', () => {
    expect(editedLines([{ bytes: Buffer.from('a\bb') }, { cols: 9, rows: 9 }], START)).toBeUndefined();
    expect(editedLines([{ bytes: Buffer.alloc(64 * 1024 + 1, 'a\r\n') }], START)).toBeUndefined();
  });
});

function trimmed(line: string): string {
  return line.replace(/ +$/, '');
}
