import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import type { PrintStart } from '../../src/workers/shard/screen/text/print-start.js';
import { type Drawn, renderDrawn, renderPrinted } from '../../src/workers/shard/screen/text/printed.js';
import { ReplayScreen } from '../../src/workers/shard/screen/text/replay-screen.js';
import { DRAWN, OVERWRITTEN, outputOf, WRITTEN } from '../support/output-parts.js';
import { tries } from '../support/tries.js';

const RUNS = tries(1_000);

const START = { cols: 20, rows: 5, row: 0, col: 0, altScreen: false };

function printed(text: string, start: Partial<typeof START> = {}): Promise<string[]> {
  return renderPrinted([{ bytes: Buffer.from(text) }], { ...START, ...start });
}

describe('renderPrinted', () => {
  it.each([
    ['plain lines, without the empty ones', 'one\r\n\r\n  two  \r\nthree', ['one', '  two', 'three']],
    ['colours and titles', '\x1b]0;title\x07\x1b[31;1mred\x1b[m \x1b[4:3mcurly\x1b[m', ['red curly']],
    ['a line that the terminal wraps', `${'x'.repeat(45)}\r\nend`, ['x'.repeat(45), 'end']],
    ['a progress bar: its last state', '10%\r50%\r100%\r\ndone', ['100%', 'done']],
    ['a typing mistake, mended', 'lss\b \b\r\n', ['ls']],
    [
      'more lines than the screen has',
      Array.from({ length: 50 }, (_, i) => `${i}`).join('\r\n'),
      Array.from({ length: 50 }, (_, i) => `${i}`),
    ],
    ['what it cleared itself', 'before\x1b[H\x1b[2J\x1b[3Jafter', ['before', 'after']],
    ['what it cleared from the top', 'before\x1b[H\x1b[Jafter', ['before', 'after']],
    ['what it reset', 'before\x1bcafter', ['before', 'after']],
    ['nothing of an alternate screen that it left', 'a\r\n\x1b[?1049hEDITOR\x1b[?1049lb', ['a', 'b']],
    ['an alternate screen that still shows, last', 'a\r\n\x1b[?1049h\x1b[HEDITOR', ['a', 'EDITOR']],
    ['wide characters', '日本語\r\né😀', ['日本語', 'é😀']],
    ['nothing', '', []],
  ])('gives %s', async (_name, text, lines) => {
    expect(await printed(text)).toEqual(lines);
  });

  it('goes on in the middle of a line', async () => {
    expect(await printed('rest\r\nnext', { row: 4, col: 7 })).toEqual(['rest', 'next']);
    expect(await printed('  rest', { row: 2, col: 7 })).toEqual(['  rest']);
    expect(await printed('\rover', { col: 7 })).toEqual(['over']);
    expect(await printed('\r\x1b[Kfresh', { col: 7 })).toEqual(['fresh']);
  });

  it('draws on the alternate screen if that was showing', async () => {
    expect(await printed('\x1b[3;1Hmore', { altScreen: true })).toEqual(['more']);
    expect(await printed('\x1b[3;1Hmore\x1b[?1049l\rshell', { altScreen: true })).toEqual(['shell']);
  });

  it('wraps as the terminal did after a resize', async () => {
    const bytes = (text: string) => ({ bytes: Buffer.from(text) });
    const lines = await renderPrinted(
      [bytes('one\r\n'), { cols: 5, rows: 3 }, bytes('0123456789\r\nend')],
      START,
    );
    expect(lines).toEqual(['one', '0123456789', 'end']);
  });

  it.each([
    ['a wrapped row whose rest is deleted after it has scrolled off', 'x'.repeat(75), '\x1b[3A\r\x1b[M'],
    [
      'the deletion of the first row below rows that nothing was printed on',
      '\r\n'.repeat(4),
      '\x1b[H\x1b[M',
    ],
  ])('does not depend on where pieces of output end: %s', async (_name, before, after) => {
    const start = { ...START, row: 2 };
    const pieces = [before, after].map((text) => ({ bytes: Buffer.from(text) }));
    const whole = [{ bytes: Buffer.from(before + after) }];
    expect(await renderDrawn(pieces, start)).toEqual(await renderDrawn(whole, start));
  });

  it('keeps every line of a full screen that becomes very narrow', async () => {
    const size = { cols: 300, rows: 60 };
    const lines = Array.from({ length: size.rows }, (_, row) => `${row} `.padEnd(size.cols, 'a中'));
    const output = [{ bytes: Buffer.from(`${lines.join('\r\n')}\r\n`) }, { cols: 2, rows: 60 }];
    expect(await renderPrinted(output, { ...START, ...size })).toEqual(lines);
  });

  it('keeps every line of much output, however it is cut', async () => {
    const lines = Array.from({ length: 20_000 }, (_, index) => `line ${index}`);
    const bytes = Buffer.from(lines.join('\r\n'));
    const segments = [bytes.subarray(0, 5_001), bytes.subarray(5_001, 100_000), bytes.subarray(100_000)];
    expect(
      await renderPrinted(
        segments.map((part) => ({ bytes: part })),
        START,
      ),
    ).toEqual(lines);
  });
});

test('the text does not depend on where pieces of the output end', async () => {
  const scrolls = ['\r\n'.repeat(9), 'x'.repeat(25), '\x1b[3A\r', '\x1b[M', '\x1b[J'];
  const parts = [...WRITTEN, ...OVERWRITTEN, ...DRAWN, ...scrolls];
  const rows = fc.nat(4);
  const cuts = fc.array(fc.nat(), { maxLength: 5 });
  await fc.assert(
    fc.asyncProperty(outputOf(parts, { maxLength: 60 }), rows, cuts, async (bytes, row, places) => {
      const start = { ...START, row };
      const at = [...new Set(places.map((place) => place % (bytes.length + 1)))].sort((a, b) => a - b);
      const pieces = [0, ...at].map((from, index) => ({ bytes: bytes.subarray(from, at[index]) }));
      expect(await renderDrawn(pieces, start)).toEqual(await renderDrawn([{ bytes }], start));
    }),
    { numRuns: RUNS },
  );
});

/** Sequences that may change how a screen draws; their effect must not last. */
const LASTING = [
  ...[
    '\x1b[4h',
    '\x1b[20h',
    '\x1b[?6h',
    '\x1b[?45h',
    '\x1b[?5h',
    '\x1b[?25l',
    '\x1b[?2004h',
    '\x1b[?1h',
    '\x1b[?66h',
  ],
  ...[
    '\x1b)0',
    '\x0e',
    '\x1b~',
    '\x1bn',
    '\x1b[3g',
    '\x1bH',
    '\x1b[5 q',
    '\x1b[1;7m',
    '\x1b[1"q',
    '\x1b[?1047h',
    '\x1b[s',
  ],
  ...[
    '\x1b]8;;http://a.b\x07',
    '\x1b]4;1;#112233\x07',
    '\x1b]10;#112233\x07',
    '\x1b[22t',
    '\x1b[=5u',
    '\x1b#8',
    '\x1b%G',
  ],
  ...['\x1b[', '\x1b]0;unfinished', '\x1bP1$', '\xff'],
];

/** Returns the result of a range on a screen that no other range was on. */
function drawnOnNew(bytes: Uint8Array, start: PrintStart): Drawn {
  const screen = new ReplayScreen(start, { keepsEmpty: true });
  screen.begin(bytes);
  while (screen.step());
  const { isAtNewLine } = screen;
  return { lines: screen.finish(true), isAtNewLine };
}

test('the text does not depend on what was rendered before', async () => {
  const parts = [...WRITTEN, ...OVERWRITTEN, ...DRAWN, ...LASTING];
  const place = { row: fc.nat(4), col: fc.nat(19), altScreen: fc.boolean() };
  const range = fc.tuple(outputOf(parts, { maxLength: 40 }), fc.record(place), fc.boolean());
  await fc.assert(
    fc.asyncProperty(fc.array(range, { minLength: 2, maxLength: 5 }), async (ranges) => {
      for (const [bytes, at, isResized] of ranges) {
        const start = { ...START, ...at };
        const resize = isResized ? [{ cols: 33, rows: 7 }, START] : [];
        await renderPrinted([{ bytes }, ...resize], start);
        expect(await renderDrawn([{ bytes }], start)).toEqual(drawnOnNew(bytes, start));
      }
    }),
    { numRuns: RUNS },
  );
});
