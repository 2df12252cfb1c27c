import fc from 'fast-check';
import { expect, it } from 'vitest';
import { readChange, readSince } from '../../src/workers/shard/reader.js';
import { fedTerminal } from '../support/fed-reader.js';

/** Output of programs that write line after line, with its text. */
const WRITTEN: [output: string, text: string][] = [
  ['x', 'x'],
  ['some words ', 'some words '],
  ['a line that is longer than the screen is wide', 'a line that is longer than the screen is wide'],
  ['\r\n', '\n'],
  ['\r\n', '\n'],
  ['\r\n\r\n', '\n\n'],
  ['\t', '\t'],
  ['   ', '   '],
  ['\x1b[31m', ''],
  ['\x1b[1;48;5;200m', ''],
  ['\x1b]0;title\x07', ''],
  ['é', 'é'],
  ['日本語', '日本語'],
  ['📦', '📦'],
  ['e\u0301', 'e\u0301'],
];

const output = fc.array(fc.constantFrom(...WRITTEN), { minLength: 1, maxLength: 80 }).map((parts) => ({
  bytes: Buffer.from(parts.map(([bytes]) => bytes).join('')),
  text: parts.map(([, text]) => text).join(''),
}));

it('gives pieces that together are the text, wherever the output is cut', async () => {
  await fc.assert(
    fc.asyncProperty(output, fc.array(fc.nat(), { maxLength: 8 }), async ({ bytes, text }, places) => {
      const { source, write, cursor, end } = fedTerminal();
      const cuts = places.map((place) => place % (bytes.length + 1)).sort((a, b) => a - b);
      const first = await cursor();
      let [from, lastRead, lastChange, read, changed] = [0, first, first, '', ''];
      for (const to of [...cuts, bytes.length]) {
        write(bytes.subarray(from, to));
        from = to;
        const page = await readSince(source, lastRead, { offset: 0 });
        const change = await readChange({ ...source, received: to }, lastChange, 1_000_000);
        [read, lastRead] = [read + page.raw, page.cursor!];
        if (change) [changed, lastChange] = [changed + change.raw, change.cursor];
      }
      const whole = await readSince(source, first, { offset: 0 });
      end();
      expect([whole.raw, read, changed]).toEqual([text, text, text]);
    }),
    { numRuns: 400 },
  );
});

it.each([
  ['a line that has ended', 'one\r\n', 'one\n'],
  ['a line that has not', 'one', 'one'],
  ['a progress bar that has ended', '10%\r50%\r100%\r\n', '100%\n'],
  ['a progress bar that has not', '10%\r50%', '50%'],
  ['empty lines', '\r\n\r\n', '\n\n'],
])('returns %s', async (_what, printed, text) => {
  const { source, write, cursor, end } = fedTerminal();
  write(Buffer.from('before\r\n'));
  const since = await cursor();
  write(Buffer.from(printed));
  expect((await readSince(source, since, { offset: 0 })).raw).toBe(text);
  end();
});

it('keeps tabs and blanks of written lines where another line is overwritten', async () => {
  const overwritten = fc.constantFrom(
    ['10%\r50%\r100%\r\n', '100%\n'],
    ['ab\b\x1b[Kc\r\n', 'ac\n'],
    ['one\r\x1b[Ktwo\r\n', 'two\n'],
  );
  const written = fc
    .array(fc.constantFrom(...WRITTEN), { maxLength: 8 })
    .map((parts) => [
      `${parts.map(([bytes]) => bytes).join('')}\r\n`,
      `${parts.map(([, text]) => text).join('')}\n`,
    ]);
  const lines = fc.array(fc.oneof(overwritten, written), { minLength: 1, maxLength: 12 });
  await fc.assert(
    fc.asyncProperty(lines, fc.array(fc.nat(), { maxLength: 4 }), async (all, places) => {
      const { source, write, cursor, end } = fedTerminal();
      const first = await cursor();
      const cuts = places.map((place) => place % (all.length + 1)).sort((a, b) => a - b);
      let [from, since, read] = [0, first, ''];
      for (const to of [...cuts, all.length]) {
        write(
          Buffer.from(
            all
              .slice(from, to)
              .map(([bytes]) => bytes)
              .join(''),
          ),
        );
        from = to;
        const page = await readSince(source, since, { offset: 0 });
        [read, since] = [read + page.raw, page.cursor!];
      }
      const whole = await readSince(source, first, { offset: 0 });
      const change = await readChange({ ...source, received: Number.MAX_SAFE_INTEGER }, first, 1_000_000);
      end();
      const text = all.map(([, each]) => each).join('');
      expect([read, whole.raw, change?.raw]).toEqual([text, text, text]);
    }),
    { numRuns: 300 },
  );
});

it('ends the line that an earlier piece has begun', async () => {
  const { source, write, cursor, end } = fedTerminal();
  write(Buffer.from('one'));
  const since = await cursor();
  write(Buffer.from('\r\ntwo'));
  expect(await readSince(source, since, { offset: 0 })).toMatchObject({ raw: '\ntwo', totalLines: 1 });
  end();
});
