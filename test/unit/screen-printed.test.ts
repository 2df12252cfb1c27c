import { describe, expect, test } from 'vitest';
import type { PrintStart } from '../../src/workers/shard/screen/text/print-start.js';
import { renderPrinted } from '../../src/workers/shard/screen/text/printed.js';

const START: PrintStart = { cols: 20, rows: 5, row: 2, col: 6, altScreen: false };

function printed(output: string, start: Partial<PrintStart> = {}): Promise<string[]> {
  return renderPrinted([{ bytes: Buffer.from(output) }], { ...START, ...start });
}

test.each<[string, string, string[]]>([
  ['nothing', '', []],
  ['lines', 'hello\r\nworld\r\n', ['hello', 'world']],
  ['empty lines', '\r\n\r\n a\r\n\r\n', [' a']],
  ['an indented first line', '  hello', ['  hello']],
  ['a tab on the first line', '\thello', ['  hello']],
  ['an indented second line', '\r\n\thello', ['        hello']],
  ['text that wraps', 'x'.repeat(50), ['x'.repeat(50)]],
  ['wide characters that wrap', '中'.repeat(25), ['中'.repeat(25)]],
  ['a progress bar', '\r\n 10%\r 20%\r100%\r\ndone', ['100%', 'done']],
  ['a first row written from its beginning', '\rab', ['ab']],
  ['colours and titles', '\x1b[31mred\x1b[m\x1b]0;title\x07!', ['red!']],
  ['a shorter text over a longer one', '\r\nlonger\rshort\x1b[K', ['short']],
  [
    'more than a screen',
    Array.from({ length: 30 }, (_, n) => `line ${n}`).join('\r\n'),
    Array.from({ length: 30 }, (_, n) => `line ${n}`),
  ],
  ['a cleared screen', 'a\r\nb\r\n\x1b[H\x1b[2J\x1b[3Jc\r\n', ['a', 'b', 'c']],
  ['a screen cleared from the top', 'a\r\nb\x1b[H\x1b[Jc', ['a', 'b', 'c']],
  ['a full reset', 'a\r\n\x1bcb', ['a', 'b']],
  ['an alternate screen that was left', 'a\r\n\x1b[?1049hdrawn\x1b[2J\x1b[?1049lb', ['a', 'b']],
  ['an alternate screen that shows', 'a\r\n\x1b[?1049h\x1b[Hdrawn\r\ntwo', ['a', 'drawn', 'two']],
  ['a reset of the alternate screen', 'a\r\n\x1b[?1049hdrawn\x1bcb', ['a', 'b']],
  ['half a character at the end', 'a\u2014'.slice(0, 1), ['a']],
])('%s', async (_name, output, lines) => {
  expect(await printed(output)).toEqual(lines);
});

describe('where printing begins', () => {
  test('on the last row', async () => {
    expect(await printed('a\r\nb\r\nc', { row: 4 })).toEqual(['a', 'b', 'c']);
  });

  test('on the alternate screen, which shows or is left', async () => {
    expect(await printed('a\r\nb', { altScreen: true })).toEqual(['a', 'b']);
    expect(await printed('a\r\nb\x1b[?1049lc', { altScreen: true })).toEqual(['c']);
  });

  test('on screens of one column', async () => {
    expect(await printed('abc', { cols: 1, rows: 1, row: 0, col: 0 })).toEqual(['abc']);
  });
});

test('a resize between two ranges', async () => {
  const segments = [
    { bytes: Buffer.from(`${'x'.repeat(30)}\r\none`) },
    { cols: 60, rows: 10 },
    { bytes: Buffer.from(` ${'y'.repeat(40)}\r\nend`) },
  ];
  expect(await renderPrinted(segments, { ...START, col: 0 })).toEqual([
    'x'.repeat(30),
    `one ${'y'.repeat(40)}`,
    'end',
  ]);
});

test('characters and sequences cut between ranges', async () => {
  const bytes = Buffer.from('a—b\x1b[31m—\x1b]0;t\x07c');
  const segments = [...bytes].map((byte) => ({ bytes: Uint8Array.of(byte) }));
  expect(await renderPrinted(segments, START)).toEqual(['a—b—c']);
});

test('long output is complete', async () => {
  const lines = Array.from({ length: 20_000 }, (_, n) => `${n} “line”`);
  expect(await printed(lines.join('\r\n'))).toEqual(lines);
  expect(await printed('\r\n'.repeat(60_000) + 'x'.repeat(200_000))).toEqual(['x'.repeat(200_000)]);
  expect(await printed(`${'n\n\r'.repeat(3000)}`, { cols: 1000, rows: 1000 })).toHaveLength(3000);
});

test('yields to others', async () => {
  let turns = 0;
  const timer = setInterval(() => turns++, 1);
  await printed('\x1b[2Jx'.repeat(50_000));
  clearInterval(timer);
  expect(turns).toBeGreaterThan(5);
});
