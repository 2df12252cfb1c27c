import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type PlainLines, plainLines } from '../../src/workers/shard/screen/backlog/plain-lines.js';
import type { PrintStart } from '../../src/workers/shard/screen/text/print-start.js';
import { renderPrinted } from '../../src/workers/shard/screen/text/printed.js';
import { internals } from '../../src/workers/shard/screen/xterm/internals.js';
import { createTerminal } from '../../src/workers/shard/screen/xterm/terminal.js';
import { cutUp } from '../support/cut-up.js';
import { printStarts } from '../support/print-starts.js';

const START: PrintStart = { cols: 20, rows: 5, row: 2, col: 0, altScreen: false };

function plain(output: string, start: Partial<PrintStart> = {}): PlainLines | undefined {
  return plainLines([{ bytes: Buffer.from(output) }], { ...START, ...start });
}

/** Parts of the output of programs that write line after line. */
const WRITTEN = [
  'x',
  'some words',
  'a line that is longer than the screen is wide',
  ' ',
  '   ',
  '\t',
  '\t\t',
  '\r\n',
  '\r\n',
  '\r\r\n',
  '\r\n\r\n',
  '\x1b[31m',
  '\x1b[m',
  '\x1b[1;48;5;200m',
  '\x1b[K',
  '\x07',
  'é',
  '日本語',
  '─│',
  '✓ 📦',
  '\u00a0',
  '\x1b]0;title\x07',
  '\x1b]8;;http://a\x1b\\',
  '\x1b[?2004h',
  '\x1b[?25l',
];
/** Parts of the output of other programs. */
const OTHER = [
  '\r',
  '\n',
  '\b',
  '\x1b[A',
  '\x1b[2J',
  '\x1b[J',
  '\x1b[1K',
  '\x1b[H',
  '\x1b[?1049h',
  '\x1b[?1049l',
  '\x1b[5C',
  '\x1b[?7l',
  '\x1b[4h',
  '\x1b(0',
  '\x0e',
  '\x0b',
  '\x1b7',
  '\x1b8',
  '\x1bc',
  '\x1bM',
  '\x1bH',
  '\x1b[3g',
  '\x1b[2;4r',
  '\x1b[3b',
  '\x1bPq#0~\r\n~\x1b\\',
  '\x1b[3\r1m',
  'e\u0301',
  '\u0301',
  '\u200d',
  '\u00ad',
  '\u0085',
  '\u009b31m',
  '\0',
  '\x7f',
  '\x18',
  '\x1a',
  '\x1b',
];
const BAD_BYTES = [0x80, 0xc2, 0xe2, 0xff, 0xf0];

const part = fc.oneof(
  { weight: 60, arbitrary: fc.constantFrom(...WRITTEN).map((text) => Buffer.from(text)) },
  { weight: 1, arbitrary: fc.constantFrom(...OTHER).map((text) => Buffer.from(text)) },
);
const bad = fc.constantFrom(...BAD_BYTES).map((byte) => Buffer.of(byte));
describe('plainLines', () => {
  it('gives the same lines as a screen, or leaves them to the screen', async () => {
    let taken = 0;
    let withOthers = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(part, { maxLength: 60 }),
        fc.option(fc.array(fc.tuple(bad, fc.nat()), { maxLength: 3 }), { freq: 12, nil: [] }),
        fc.array(fc.nat(), { maxLength: 3 }),
        printStarts(30),
        async (parts, odd, cuts, from) => {
          const all = [...parts];
          for (const [byte, place] of odd) all.splice(place % (all.length + 1), 0, byte);
          const segments = cutUp(Buffer.concat(all), cuts).map((bytes) => ({ bytes }));
          const given = plainLines(segments, from);
          if (!given) {
            withOthers++;
            return;
          }
          taken++;
          const lines = await renderPrinted(segments, from, { alternate: false });
          expect(given.text).toBe(lines.join('\n'));
        },
      ),
      { numRuns: 3_000 },
    );
    expect(taken).toBeGreaterThan(500);
    expect(withOthers).toBeGreaterThan(500);
  });

  it.each<[string, string]>([
    ['text, colours, titles and line ends', '\x1b[1mone\x1b[m\x1b[K\r\n\r\n\x1b]0;t\x07two  \r\n'],
    ['tabs', 'a\tb\tc\td\r\n\t\r\n\tx'],
    ['wide characters', '日本語'.repeat(9)],
  ])('takes %s', async (_name, output) => {
    expect(plain(output)?.text).toBe(
      (await renderPrinted([{ bytes: Buffer.from(output) }], START)).join('\n'),
    );
  });

  it.each<[string, string]>([
    ['a tab within a sequence that another one replaces', '\x1b\t\x1b[31mx'],
    ['a row that is overwritten from the row below', 'one\r\n\x1b[Atwo\r\n'],
    ['a line feed without a carriage return', 'one\ntwo'],
    ['moves of the cursor', 'a\x1b[Ab'],
    ['another screen', 'a\x1b[?1049hb'],
    ['a combining character', 'e\u0301'],
    ['tabs beside wide characters', '日\ta'],
    ['bytes that are no UTF-8', String.fromCharCode(0xdc80)],
  ])('leaves %s to a screen', (_name, output) => {
    expect(plain(output)).toBeUndefined();
  });

  it('leaves resizes to a screen', () => {
    expect(plainLines([{ bytes: Buffer.from('a') }, { cols: 9, rows: 9 }], START)).toBeUndefined();
  });

  it.each<[string, number, PlainLines]>([
    ['a\r\nb\r\n', 0, { text: 'a\nb', lineFeeds: 2, isUnwrapped: true, isAtLineStart: true }],
    ['a\r\nb', 0, { text: 'a\nb', lineFeeds: 1, isUnwrapped: true, isAtLineStart: false }],
    ['aaaaaaaaaa\r\n', 0, { text: 'aaaaaaaaaa', lineFeeds: 1, isUnwrapped: true, isAtLineStart: true }],
    ['a\r\n\t', 0, { text: 'a', lineFeeds: 1, isUnwrapped: true, isAtLineStart: false }],
    ['a\r\n\x1b[3', 0, { text: 'a', lineFeeds: 1, isUnwrapped: true, isAtLineStart: false }],
    ['a\r', 0, { text: 'a', lineFeeds: 0, isUnwrapped: true, isAtLineStart: true }],
    ['', 0, { text: '', lineFeeds: 0, isUnwrapped: true, isAtLineStart: true }],
    ['', 3, { text: '', lineFeeds: 0, isUnwrapped: false, isAtLineStart: false }],
  ])('reports where %j leaves the cursor', (output, col, wanted) => {
    expect(plain(output, { col })).toEqual(wanted);
  });

  it('reports it, too, if half a character is left', () => {
    const bytes = Buffer.from('a\r\n日').subarray(0, 5);
    expect(plainLines([{ bytes }], START)).toEqual({
      text: 'a',
      lineFeeds: 1,
      isUnwrapped: true,
      isAtLineStart: false,
    });
  });

  it('knows every character of width 0', () => {
    const { unicodeService } = internals(createTerminal(80, 24, 0));
    const missed: string[] = [];
    for (let code = 0x20; code < 0x110000; code++) {
      if (code >= 0xd800 && code < 0xe000) continue;
      const character = String.fromCodePoint(code);
      if (unicodeService.wcwidth(code) === 0 && plain(`a${character}b`)?.text === `a${character}b`)
        missed.push(code.toString(16));
    }
    expect(missed).toEqual([]);
  });
});
