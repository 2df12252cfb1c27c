import fc from 'fast-check';
import pLimit from 'p-limit';
import { describe, expect, it, test } from 'vitest';
import { HISTORY_BYTES, MAX_RENDERS } from '../../src/contract/limits.js';
import { readRange } from '../../src/workers/shard/output-range.js';
import { encodeCursor } from '../../src/workers/shard/reader.js';
import { plainText } from '../../src/workers/shard/screen/text/plain-text.js';
import { ShellRanges } from '../../src/workers/shard/stages/shell-ranges.js';
import { truncateHead } from '../../src/workers/shard/truncate-head.js';
import { screenActor as screenActorOf } from '../support/screen-actor.js';

const SECRET = 'fedcba9876543210';

function terminal() {
  const screenActor = screenActorOf({ cols: 20, rows: 5 });
  const cursor = () => screenActor.ask((view) => encodeCursor(view.cursor));
  const silent = { tracker: { shellRanges: new ShellRanges(0, undefined) }, size: { rows: 5 }, printedAt: 0 };
  const source = { screenActor, renders: pLimit(MAX_RENDERS), secret: SECRET, ...silent };
  return { screenActor, source, cursor, write: (output: string) => screenActor.write(Buffer.from(output)) };
}

/** Resolves with the text of the range of `output`, which is printed after `before`. */
async function rangeOf(output: string, { before = '$ x\r\n', maxBytes = 1_000_000, raw = false } = {}) {
  const { source, cursor, write } = terminal();
  write(before);
  const start = await cursor();
  write(output);
  const end = await cursor();
  write('what comes after\r\n');
  return readRange(source, { start, end, raw, maxBytes });
}

const PLAIN: [string, string, string][] = [
  ['lines', 'a\r\nb\r\n', 'a\nb\n'],
  ['no line feed at the end', 'a\r\nb', 'a\nb'],
  ['nothing', '', ''],
  ['empty lines, tabs and trailing blanks', '\r\n\r\na\tb  \r\n \r\n\r\n', '\n\na\tb  \n \n\n'],
  ['lines that end with CR LF themselves', 'a\r\r\nb\r\r\n', 'a\nb\n'],
  ['line feeds alone', 'a\nb\n', 'a\nb\n'],
  ['colours', '\x1b[31;1mred\x1b[0m \x1b(B\x1b[m\x1b[38;5;1mx\x0f\x1b[m\r\n', 'red x\n'],
  ['colours to the end of the line, as of grep', '\x1b[01;31m\x1b[Kred\x1b[m\x1b[K\r\n', 'red\n'],
  ['a line begun by erasing it', '\r\x1b[Ka\r\n\r\x1b[Jb\r\n', 'a\nb\n'],
  [
    'titles, links, marks',
    '\x1b]0;title\x07\x1b]8;;http://a\x1b\\link\x1b]8;;\x1b\\\x1b]133;A\x07\r\n',
    'link\n',
  ],
  ['modes that are not of the screen', '\x1b[?25l\x1b[?2004ha\x1b[?25;2004l\x1b=\r\n', 'a\n'],
  ['bells and what has no meaning', 'a\x07b\x00c\x7f\r\n', 'abc\n'],
  ['questions', 'a\x1b[c\x1b[6n\x1bP$qm\x1b\\\x1b[>4;1m\x1b[?u\r\n', 'a\n'],
  ['a line that wraps', `${'x'.repeat(90)}\r\ny`, `${'x'.repeat(90)}\ny`],
  ['wide and combined characters', '日本語 é e\u0301 👩\u200d💻\r\n', '日本語 é e\u0301 👩\u200d💻\n'],
  ['a CR at the end', 'abc\r', 'abc'],
  ['what was broken off', 'abc\x1b[3', 'abc'],
];

const DRAWN: [string, string, string][] = [
  ['a progress bar: its last state', ' 10%\r 50%\r100%\r\nready\r\n', '100%\nready\n'],
  ['a progress bar that is erased', 'first\r\n 10%\r 50%\r\x1b[K', 'first\n'],
  ['a prompt that is drawn, with its blank', 'a\b\x1b[Kname: ', 'name: '],
  [
    'blanks behind the cursor, and those of a line that is only written',
    'x  \r\nname:   \x1b[2D',
    'x  \nname: ',
  ],
  ['tabs in lines before a progress bar', 'a\tb\r\n10%\r99%\r\nc\td\r\n', 'a\tb\n99%\nc\td\n'],
  ['a typing mistake, mended', 'lss\b \b\r\n', 'ls\n'],
  ['empty lines, also the first', '\r\n\r\na\b\x1b[Kb\r\n\r\nc\r\n\r\n', '\n\nb\n\nc\n\n'],
  ['what was cleared', 'before\r\n\x1b[H\x1b[2J\x1b[3Jafter\r\n', 'before\nafter\n'],
  ['what was cleared, without its empty rows', 'a\r\n\r\n\x1b[H\x1b[2J\r\nb\x1b[1C\r\n', 'a\nb\n'],
  ['a screen that was cleared and nothing else', '\x1b[H\x1b[2J\x1b[3J', ''],
  ['text all over the screen', '\x1b[H\x1b[2J\x1b[4;3Hx\x1b[2;1Htop', 'top\n\n  x'],
  ['lines that are drawn again', 'a: 1\r\nb: 1\r\n\x1b[2Aa: 2\r\nb: 2\r\n', 'a: 2\nb: 2\n'],
  ['a line that wraps', `${'x'.repeat(90)}\b\r\ny`, `${'x'.repeat(90)}\ny`],
  ['an alternate screen that it left', 'a\r\n\x1b[?1049h\x1b[HEDITOR\x1b[?1049lb\r\n', 'a\nb\n'],
  ['an alternate screen that shows', 'a\r\n\x1b[?1049h\x1b[2;1HEDITOR', 'a\nEDITOR'],
  ['many lines', `\x1b[1C${'a\r\n\r\n'.repeat(300)}`, ` ${'a\n\n'.repeat(300)}`],
  ['line drawing', '\x1b(0qqq\x1b(B\r\n', '───\n'],
  ['next line', 'a\x1bEb\u0085c\r\n', 'a\nb\nc\n'],
];

describe('readRange', () => {
  test.each(PLAIN)('returns exactly the written bytes: %s', async (_name, output, text) => {
    expect(plainText([{ bytes: Buffer.from(output) }])).toBe(text);
    expect(await rangeOf(output)).toEqual({ text, truncated: false });
  });

  test.each(DRAWN)('returns the remaining text: %s', async (_name, output, text) => {
    expect(plainText([{ bytes: Buffer.from(output) }])).toBeUndefined();
    for (const before of ['$ x\r\n', '', '\r\n'.repeat(9), 'full\r\n'.repeat(9)]) {
      expect(await rangeOf(output, { before })).toEqual({ text, truncated: false });
    }
  });

  it('returns the very bytes when asked for them', async () => {
    const output = '\x1b[31mred\x1b[m\r\n10%\r50%\x1b[H\x07';
    const raw = true;
    expect(await rangeOf(output, { raw })).toEqual({ text: output, truncated: false });
  });

  it('covers the secret in them', async () => {
    const marked = (key: string) => `\x1b]133;A;k=${key};s=1\x07$ `;
    const { text } = await rangeOf(marked(SECRET), { raw: true });
    expect(text).toBe(marked('*'.repeat(SECRET.length)));
  });

  it('keeps the end, from the beginning of a line on', async () => {
    const maxBytes = 20;
    expect(await rangeOf('0123456789\r\nabcdefghi\r\nABCDEFGH\r\n', { maxBytes })).toEqual({
      text: 'abcdefghi\nABCDEFGH\n',
      truncated: true,
    });
  });

  it('reports when the beginning has gone from the history', async () => {
    const line = `${'x'.repeat(18)}\r\n`;
    const { text, truncated } = await rangeOf(line.repeat((2 * HISTORY_BYTES) / line.length));
    expect(truncated).toBe(true);
    expect(text.length).toBeGreaterThan(HISTORY_BYTES * 0.9);
    expect(text.length).toBeLessThan(HISTORY_BYTES * 1.3);
    expect(new Set(text.split('\n'))).toEqual(new Set(['x'.repeat(18), '']));
  });

  it('returns the end of one long line', async () => {
    const { text, truncated } = await rangeOf(`${'日'.repeat(HISTORY_BYTES)}\r\n`);
    expect(truncated).toBe(true);
    expect(text).toMatch(/^日+\n$/);
    expect(text.length).toBeGreaterThan(HISTORY_BYTES / 4);
  });

  it('returns the end of one long line in colours, clean or raw', async () => {
    const coloured = '\x1b[38;5;123mX';
    const clean = await rangeOf(coloured.repeat(40_000));
    expect([clean.truncated, /^X+$/.test(clean.text)]).toEqual([true, true]);
    for (const maxBytes of [1_000_000, 1_000, 13, 12, 11]) {
      const { text, truncated } = await rangeOf(coloured.repeat(40_000), { raw: true, maxBytes });
      expect([truncated, text.replaceAll(coloured, ''), text.length <= maxBytes]).toEqual([
        true,
        expect.stringMatching(/^X?$/),
        true,
      ]);
    }
  });

  it('goes on to the present position without an end', async () => {
    const { source, cursor, write } = terminal();
    const start = await cursor();
    write('abc\x1b[3');
    const query = { start, raw: false, maxBytes: 100 };
    expect(await readRange(source, query)).toEqual({ text: 'abc', truncated: false });
  });

  it('refuses cursors that are not of this terminal, or the wrong way round', async () => {
    const { source, cursor, write } = terminal();
    write('abc');
    const end = await cursor();
    const query = { raw: false, maxBytes: 100 };
    for (const start of ['', 'x', '4-0-0-0'])
      await expect(readRange(source, { ...query, start })).rejects.toThrow('Invalid cursor');
    await expect(readRange(source, { ...query, start: end, end: '1-0-0-0' })).rejects.toThrow(
      'Invalid cursor',
    );
  });
});

test("plain text is the program's text, however much colour it is printed in and however it is cut", () => {
  const word = fc.string({
    unit: fc.constantFrom('a', ' ', '\t', '\n', 'é', '日', '😀', '~'),
    maxLength: 20,
  });
  const silent = fc.constantFrom(
    '',
    '\x1b[1;31m',
    '\x1b[m',
    '\x1b]0;t\x07',
    '\x1b[?25l',
    '\x07',
    '\x1b[K',
    '\x1b(B',
  );
  const parts = fc.array(fc.tuple(word, silent), { maxLength: 20 });
  fc.assert(
    fc.property(parts, fc.array(fc.nat(), { maxLength: 5 }), (all, cuts) => {
      const output = Buffer.from(all.map(([text, code]) => text.replaceAll('\n', '\r\n') + code).join(''));
      const at = cuts.map((cut) => cut % (output.length + 1)).sort((a, b) => a - b);
      const segments = [0, ...at].map((begin, index) => ({ bytes: output.subarray(begin, at[index]) }));
      expect(plainText(segments)).toBe(all.map(([text]) => text).join(''));
    }),
  );
});

describe('truncateHead', () => {
  it.each<[string, number, string]>([
    ['short', 5, 'short'],
    ['éé', 4, 'éé'],
    ['éé', 3, 'é'],
    ['one\ntwo\n', 5, 'two\n'],
    ['one\ntwo\n', 4, 'two\n'],
    ['0123456789\n', 4, '789\n'],
    ['01234567\n89', 8, '4567\n89'.padStart(8, '3')],
    ['abc', 0, ''],
    ['a\x1b[31mb\x1b[mc', 8, 'b\x1b[mc'],
    ['a\x1b[31mb\x1b[mc', 5, 'b\x1b[mc'],
    ['a\x1b[31mb\x1b[mc', 4, '\x1b[mc'],
    ['a\x1b[31mb\x1b[mc', 3, 'c'],
    ['a\x1b]0;a title', 4, ''],
    ['', 0, ''],
  ])('of %j keeps in %i bytes', (text, maxBytes, kept) => {
    expect(truncateHead(text, maxBytes)).toEqual({ text: kept, truncated: kept !== text });
  });

  it('never keeps more, nor half a character', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.nat(40), (text, maxBytes) => {
        const kept = truncateHead(text, maxBytes);
        expect(Buffer.byteLength(kept.text)).toBeLessThanOrEqual(maxBytes);
        expect(text.endsWith(kept.text)).toBe(true);
      }),
    );
  });
});

test('gives way to other work while it renders many short lines', async () => {
  const { source, cursor, write } = terminal();
  const start = await cursor();
  write('a\rb\r\n'.repeat(30_000));
  const end = await cursor();
  let turns = 0;
  let isOver = false;
  const count = () => {
    turns++;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  const { text } = await readRange(source, { start, end, raw: false, maxBytes: 1_000_000 });
  isOver = true;
  expect(text).toBe('b\n'.repeat(30_000));
  expect(turns).toBeGreaterThan(10);
});
