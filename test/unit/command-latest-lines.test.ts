import { expect, test } from 'vitest';
import type { AutoTerminal } from '#dist/client/index.js';
import { latestLines } from '#dist/command/latest-lines.js';

/** A service that has this text of a terminal, and this page of its lines, each up to a cursor. */
function serving(printed: [raw: string, cursor: string] | undefined, page: [raw: string, cursor: string]) {
  const terminals = {
    changes: async () => ({ changes: printed ? [{ raw: printed[0], cursor: printed[1] }] : [] }),
    get: () => ({ output: async () => ({ raw: page[0], cursor: page[1] }) }),
  };
  return { terminals } as unknown as Pick<AutoTerminal, 'terminals'>;
}

const { signal } = new AbortController();

test.each([
  ['a finished line', 'a\nb\n', 'a\nb', 'a\nb\n'],
  ['an unfinished line', 'a\nb', 'a\nb', 'a\nb'],
  ['a prompt with a blank at its end', 'a\n\n$ ', 'a\n$', 'a\n$ '],
  ['blanks alone', 'a\n  ', 'a', 'a\n  '],
  ['one unfinished line', '$ ', '$', '$ '],
  ['lines of before a restart', '', 'a\n$', 'a\n$\n'],
  ['a last line that was drawn over', 'a\nxy', 'a\nz', 'a\nz\n'],
  ['nothing', '', '', ''],
])('%s', async (_what, printed, page, text) => {
  const client = serving([printed, 'c1'], [page, 'c1']);
  expect(await latestLines(client, 'x', { lines: 9, signal })).toEqual({ text, cursor: 'c1' });
});

test('a terminal that prints meanwhile: the lines of the text, and its cursor', async () => {
  const client = serving(['a\nb\nc\nd', 'c1'], ['c\nd e', 'c2']);
  const latest = (lines: number) => latestLines(client, 'x', { lines, signal });
  expect(await latest(2)).toEqual({ text: 'c\nd', cursor: 'c1' });
  expect(await latest(0)).toEqual({ text: '', cursor: 'c1' });
  const finished = serving(['a\nb\n', 'c1'], ['c', 'c2']);
  expect(await latestLines(finished, 'x', { lines: 1, signal })).toEqual({ text: 'b\n', cursor: 'c1' });
});

test('a terminal of which no text is kept has its page', async () => {
  const client = serving(undefined, ['a', 'c1']);
  expect(await latestLines(client, 'x', { lines: 9, signal })).toEqual({ text: 'a\n', cursor: 'c1' });
});
