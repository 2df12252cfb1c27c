import { afterAll, expect, test } from 'vitest';
import { rowText, trimBlanks } from '../../src/workers/shard/screen/text/lines.js';
import { internals } from '../../src/workers/shard/screen/xterm/internals.js';
import { Bare } from '../support/screen-pair.js';
import { Tmux } from '../support/screen-tmux.js';

const SIZE = { cols: 30, rows: 8 };
const tmux = new Tmux();

afterAll(() => tmux.dispose());

function rowsOf(bare: Bare): string[] {
  const { active } = internals(bare.term).buffers;
  const rows = Array.from({ length: SIZE.rows }, (_, row) => active.lines.get(active.ybase + row)!);
  return rows.map((line) => trimBlanks(rowText(line)));
}

test.each([
  ['lines that scroll', Array.from({ length: 30 }, (_, n) => `line ${n}`).join('\r\n')],
  ['wrapped lines', 'the quick brown fox jumps over the lazy dog '.repeat(4)],
  ['a full row and more', `${'a'.repeat(30)}\r\n${'b'.repeat(30)}c`],
  ['carriage returns and backspaces', 'abcdef\rXY\b\bZ\r\n12345\b\b\b--'],
  ['tabs', 'a\tb\tc\r\n\t\tx\r\n\x1b[3g\ty'],
  ['cursor moves', '\x1b[3;5Hhere\x1b[2Aup\x1b[4Ddown\x1b[6;1Hlast\x1b[3Cright\x1b[2;28Hedge'],
  ['erasing', `${'x'.repeat(200)}\x1b[3;10H\x1b[K\x1b[5;10H\x1b[1K\x1b[6;4H\x1b[5X\x1b[7;3H\x1b[J`],
  ['erasing above', `${'x'.repeat(200)}\x1b[4;10H\x1b[1J`],
  [
    'inserting and deleting characters',
    'abcdefghij\x1b[3G\x1b[2@XY\x1b[8G\x1b[3P\r\nabc\x1b[1G\x1b[4hINS\x1b[4l',
  ],
  ['inserting and deleting lines', '1\r\n2\r\n3\r\n4\r\n5\x1b[2H\x1b[2L\x1b[6H\x1b[M'],
  ['a scroll region', '1\r\n2\r\n3\r\n4\r\n5\r\n6\x1b[2;5r\x1b[5H\r\nx\r\ny\x1b[2H\x1bMz\x1b[r'],
  ['origin mode', '\x1b[3;6r\x1b[?6h\x1b[1;1Hfirst\x1b[99;1Hlast\x1b[?6l\x1b[1;1Htop'],
  ['scrolling by sequence', '1\r\n2\r\n3\r\n4\x1b[2S\x1b[1;1Hx\x1b[T'],
  ['wide characters', `中文字符\r\n${'a'.repeat(29)}中b\r\n한글 ｗｉｄｅ`],
  ['combining characters', 'e\u0301a\u0308 o\u0302\u0323 x'],
  ['saved cursors', 'abc\x1b7\x1b[5;5Hdef\x1b8ghi'],
  ['repetition', 'ab\x1b[5bc'],
  ['no wraparound', `\x1b[?7l${'abcdefghij'.repeat(4)}\x1b[?7h`],
  ['the alternate screen', 'normal\x1b[?1049h\x1b[2J\x1b[3;3Halternate'],
  ['the alternate screen, left again', 'normal\x1b[?1049h\x1b[2J\x1b[3;3Halternate\x1b[?1049l!'],
  [
    'colours and other attributes',
    '\x1b[1;31mred\x1b[0m \x1b[4:3;38;5;99mfancy\x1b[m \x1b[38;2;1;2;3mrgb\x1b[m',
  ],
  ['sequences to be ignored', 'a\x1b]52;c;aGk=\x07b\x1b_apc\x1b\\c\x1bPq#0\x1b\\d\x1b[?9999he'],
  ['a screen full of E', '\x1b#8\x1b[4;4H\x1b[2K'],
])('tmux shows the same: %s', async (_name, output) => {
  const bare = new Bare(SIZE, 50);
  bare.do(output);
  expect(rowsOf(bare)).toEqual(await tmux.rowsAfter(output, SIZE));
  expect(rowsOf(bare.copy(true).copy)).toEqual(rowsOf(bare));
});
