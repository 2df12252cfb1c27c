import { expect, test } from 'vitest';
import { Screen } from '../../src/workers/shard/screen/screen.js';
import { LinesWithText, logicalLines } from '../../src/workers/shard/screen/text/lines.js';
import { internals } from '../../src/workers/shard/screen/xterm/internals.js';
import { resizeTerminal } from '../../src/workers/shard/screen/xterm/resize.js';
import { createTerminal, writeSync } from '../../src/workers/shard/screen/xterm/terminal.js';
import { plainStream, smallSize } from '../support/plain-streams.js';
import { Random } from '../support/random.js';
import { linesOf, lossesOf } from '../support/screen-rows.js';

const SIZE = { cols: 20, rows: 5, scrollback: 50 };

function screenWith(...output: string[]): Screen {
  const screen = new Screen(SIZE);
  for (const part of output) screen.feed(Buffer.from(part));
  return screen;
}

/** Returns the screen's replies to this output. */
function answers(...output: string[]): string[] {
  const replies: string[] = [];
  const screen = new Screen({ ...SIZE, onReply: (data) => replies.push(data) });
  for (const part of output) screen.feed(Buffer.from(part));
  return replies;
}

test('everything is parsed on return', () => {
  const screen = screenWith('a'.repeat(300_000), '\r\nend');
  expect(linesOf(screen).at(-1)).toBe('end');
  expect(screen.cursor()).toEqual({ row: 4, col: 3, altScreen: false });
});

test('lines are joined where they were wrapped, cut at the end, and never empty', () => {
  const screen = screenWith(`${'x'.repeat(30)}\r\n\r\n  two   \r\n\x1b[31m   \x1b[m\r\na\x1b[3Cb\r\n`);
  expect(linesOf(screen)).toEqual(['x'.repeat(30), '  two', 'a   b']);
});

test('a wide character that was wrapped leaves no blank in its line', () => {
  expect(linesOf(screenWith('a'.repeat(19), '中b'))).toEqual([`${'a'.repeat(19)}中b`]);
});

test('lines and cursor are those of the showing buffer', () => {
  const screen = screenWith('normal\x1b[?1049h\x1b[2;3Halt');
  expect(linesOf(screen)).toEqual(['  alt']);
  expect(screen.cursor()).toEqual({ row: 1, col: 5, altScreen: true });
  screen.feed(Buffer.from('\x1b[?1049l'));
  expect(linesOf(screen)).toEqual(['normal']);
});

test('a cursor about to wrap is on the last column', () => {
  expect(screenWith('a'.repeat(20)).cursor()).toEqual({ row: 0, col: 19, altScreen: false });
  const narrow = new Screen({ cols: 1, rows: 2, scrollback: 0 });
  narrow.feed(Buffer.from('ab'));
  expect([narrow.cols, narrow.cursor().col]).toEqual([1, 0]);
});

test('a resize rewraps lines', () => {
  const screen = screenWith(`${'x'.repeat(30)}\r\n$ `);
  screen.resize(40, 5);
  expect(linesOf(screen)).toEqual(['x'.repeat(30), '$']);
  expect([screen.cols, screen.rows, screen.cursor().row]).toEqual([40, 5, 1]);
});

test('a resize narrower keeps every row of a full scrollback', () => {
  const screen = new Screen({ cols: 60, rows: 4, scrollback: 6 });
  for (let line = 0; line < 40; line++) screen.feed(Buffer.from(`${line}${'-'.repeat(50)}\r\n`));
  screen.feed(Buffer.from('prompt'));
  screen.resize(15, 4);
  expect(linesOf(screen).at(-1)).toBe('prompt');
  expect(linesOf(screen).at(-2)).toBe(`39${'-'.repeat(50)}`);
});

test("the leftovers of xterm's resize are mended", () => {
  const screen = screenWith('\x1b[?1049h', '中'.repeat(10), '\x1b[2;5H\x1b7');
  screen.resize(7, 2);
  expect(lossesOf(screen)).toEqual([]);
  screen.resize(20, 5);
  expect(linesOf(screen)).toEqual(['中中中']);
  screen.feed(Buffer.from('\x1b[?1049l'));
  screen.resize(10, 2);
  screen.feed(Buffer.from('\x1b[?1049h1\r\n2\r\n3\r\n4'));
  expect(linesOf(screen)).toEqual(['3', '4']);
});

test('a restored screen has the scrollback, or only the screen', () => {
  const screen = screenWith('1\r\n2\r\n3\r\n4\r\n5\r\n6\r\n7\x1b]10;#102030\x07');
  const copy = new Screen(SIZE);
  copy.feed(Buffer.from(screen.serialize({ scrollback: true })));
  expect(linesOf(copy)).toEqual(['1', '2', '3', '4', '5', '6', '7']);
  expect(copy.serialize({ scrollback: true })).toBe(screen.serialize({ scrollback: true }));
  const visible = new Screen(SIZE);
  visible.feed(Buffer.from(screen.serialize({ scrollback: false })));
  expect(linesOf(visible)).toEqual(['3', '4', '5', '6', '7']);
  expect(lossesOf(screen)).toEqual([]);
});

test.each([
  ['primary attributes', '\x1b[c', '\x1b[?1;2c'],
  ['secondary attributes', '\x1b[>c', '\x1b[>0;276;0c'],
  ['status', '\x1b[5n', '\x1b[0n'],
  ['cursor position', 'abc\x1b[6n', '\x1b[1;4R'],
  ['a mode', '\x1b[?2004$p', '\x1b[?2004;2$y'],
  ['margins', '\x1bP$qr\x1b\\', '\x1bP1$r1;5r\x1b\\'],
  ['version', '\x1b[>q', '\x1bP>|auto-terminal(0.1.0)\x1b\\'],
  ['kitty keys', '\x1b[?u', '\x1b[?0u'],
  ['text colour', '\x1b]10;?\x07', '\x1b]10;rgb:ffff/ffff/ffff\x1b\\'],
  ['background', '\x1b]11;?\x1b\\', '\x1b]11;rgb:0000/0000/0000\x1b\\'],
  [
    'a background that was set',
    '\x1b]11;rgb:1/80/fff\x07\x1b]11;#123\x07\x1b]11;?\x07',
    '\x1b]11;rgb:1010/2020/3030\x1b\\',
  ],
  [
    'a cursor colour set with the others',
    '\x1b]10;#fff;#000;rgb:ab/cd/ef\x07\x1b]12;?\x07',
    '\x1b]12;rgb:abab/cdcd/efef\x1b\\',
  ],
  ['a colour put back', '\x1b]10;#123456\x07\x1b]110\x07\x1b]10;?\x07', '\x1b]10;rgb:ffff/ffff/ffff\x1b\\'],
  ['palette colour', '\x1b]4;1;?\x07', '\x1b]4;1;rgb:cccc/0000/0000\x1b\\'],
  ['a colour of the cube', '\x1b]4;110;?\x07', '\x1b]4;110;rgb:8787/afaf/d7d7\x1b\\'],
  ['a gray', '\x1b]4;240;?\x07', '\x1b]4;240;rgb:5858/5858/5858\x1b\\'],
  [
    'a palette colour that was set',
    '\x1b]4;7;#abcdef;8;#000001\x07\x1b]4;7;?\x07',
    '\x1b]4;7;rgb:abab/cdcd/efef\x1b\\',
  ],
])('answers for %s', (_name, query, answer) => {
  expect(answers(query)).toEqual([answer]);
  expect(answers(...query)).toEqual([answer]);
});

test('answers nothing else, and without onReply nothing', () => {
  expect(answers('\x1b]4;999;?\x07\x1b[>1q\x1b[?1004h\x1b[?1000h\x1b]52;c;?\x07abc')).toEqual([]);
  expect(() => screenWith('\x1b[c\x1b[6n\x1b]10;?\x07')).not.toThrow();
});

test('a restored screen answers nothing while it is restored', () => {
  const screen = screenWith('\x1b]10;#123456\x07\x1b]4;9;#111111\x07\x1b[?1004h\x1b[?1003htext');
  expect(answers(screen.serialize({ scrollback: true }))).toEqual([]);
  expect(answers(screen.serialize({ scrollback: true }), '\x1b]10;?\x07', '\x1b]4;9;?\x07')).toHaveLength(2);
});

test('answers that throw, or feed, leave the screen usable', () => {
  const screen = new Screen({
    ...SIZE,
    onReply: () => {
      throw new Error('no terminal');
    },
  });
  expect(() => screen.feed(Buffer.from('a\x1b[cb'))).toThrow('no terminal');
  screen.feed(Buffer.from('c'));
  expect(linesOf(screen)).toEqual(['abc']);
  const feeding = new Screen({ ...SIZE, onReply: () => feeding.feed(Buffer.from('x')) });
  expect(() => feeding.feed(Buffer.from('\x1b[c'))).toThrow('while it was parsing');
});

test('lines made on demand are the same', () => {
  const random = new Random(11);
  for (let round = 0; round < 300; round++) {
    const size = smallSize(random);
    const term = createTerminal(size.cols, size.rows, size.scrollback);
    for (const step of plainStream(random)) {
      if (step instanceof Uint8Array) writeSync(term, step);
      else if (typeof step !== 'string') resizeTerminal(term, step.cols, step.rows);
    }
    const { active } = internals(term).buffers;
    const lines = new LinesWithText(active);
    const all = logicalLines(active);
    expect(lines.slice(0, lines.length)).toEqual(all);
    expect(lines.slice(lines.length - 3, lines.length)).toEqual(all.slice(lines.length - 3));
  }
});
