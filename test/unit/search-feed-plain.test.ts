import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { History } from '../../src/workers/shard/history.js';
import { encodeCursor } from '../../src/workers/shard/reader.js';
import { Screen } from '../../src/workers/shard/screen/screen.js';
import { renderPrinted } from '../../src/workers/shard/screen/text/printed.js';
import { mayTurnScreen } from '../../src/workers/shard/stages/alternate-screen.js';
import { fedTerminal, unmarked } from '../support/fed-terminal.js';
import { Random } from '../support/random.js';
import { tries } from '../support/tries.js';

const LINES = [
  'make[1]',
  ' a line longer than the screen',
  '\tcc',
  '日本',
  '\x1b[31mred\x1b[m',
  '  ',
  '\r\n',
  '\r\n',
  'a\r\nb\r\n\r\n',
  'xz\by\r\n10%\r20%',
];
const OTHERS = [
  '\r12%',
  '\n',
  '\x1b[A',
  '\x1b[2J\x1b[H',
  '\x1b[?1049h',
  '\x1b[?1049l',
  '\x1b[2;3r',
  '\x1b[r',
  '\x1b[3',
  '\x1b]0;t',
  '\x07',
  'e\u0301',
];

const RUNS = tries(80);

const resize = fc.record({ cols: fc.integer({ min: 8, max: 30 }), rows: fc.integer({ min: 2, max: 7 }) });

/** Output until the terminal is quiet, with a resize at its beginning or within. */
const round = fc.oneof(
  {
    weight: 12,
    arbitrary: fc.record({
      output: fc
        .array(fc.constantFrom(...LINES), { minLength: 1, maxLength: 20 })
        .map((parts) => `${parts.join('')}\r\n`),
      resize: fc.option(resize, { freq: 12, nil: undefined }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      output: fc
        .array(fc.oneof(fc.constantFrom(...LINES), fc.constantFrom(...OTHERS)), { maxLength: 10 })
        .map((parts) => parts.join('')),
      resize: fc.option(resize, { freq: 2, nil: undefined }),
    }),
  },
);

/** Place of the resize in the round. */
const cut = fc.oneof(fc.constant(0), fc.nat());

/** Returns the place where reading may go on, which is before an unfinished sequence. */
function cursorOf(screen: Screen, position: number) {
  return { position: position - screen.pendingLength, ...screen.cursor() };
}

describe('SearchFeed, compared with a screen that is asked each time', () => {
  it('feeds the same lines and cursors, whatever is printed', async () => {
    let rounds = 0;
    let questions = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(round, { minLength: 2, maxLength: 20 }), cut, async (all, place) => {
        const size = { cols: 20, rows: 5 };
        const { feed, screenActor, posted, settle } = fedTerminal(size);
        const screen = new Screen({ ...size, scrollback: 100 });
        const history = new History(Number.POSITIVE_INFINITY, 0, size);
        const ask = vi.spyOn(screenActor, 'askPlace');
        let position = 0;
        let from = cursorOf(screen, position);
        for (const { output, resize } of all) {
          const bytes = Buffer.from(output);
          const middle = place % (bytes.length + 1);
          for (const piece of [bytes.subarray(0, middle), bytes.subarray(middle)]) {
            feed.write(piece);
            screen.feed(piece);
            history.append(piece);
            position += piece.length;
            if (!resize || piece.length === bytes.length) continue;
            for (const each of [feed, screenActor, screen, history]) {
              if (each instanceof Screen) each.resize(resize.cols, resize.rows);
              else each.resized(resize.cols, resize.rows);
            }
          }
          await settle();
          const to = cursorOf(screen, position);
          const printed = history.between(from.position, to.position);
          const start = { ...printed.size, ...from };
          const lines = await renderPrinted(printed.segments, start, { alternate: false });
          const wanted = { content: lines.join('\n'), cursor: encodeCursor(to), leftOut: 0 };
          expect(unmarked(posted.splice(0))).toMatchObject(lines.length > 0 ? [wanted] : []);
          from = to;
        }
        rounds += all.length;
        questions += ask.mock.calls.length;
      }),
      { numRuns: RUNS },
    );
    // Each terminal is asked once at the start.
    const withoutQuestion = rounds + RUNS - questions;
    expect(withoutQuestion).toBeGreaterThan(rounds / 10);
    expect(questions).toBeGreaterThan(rounds / 10);
  });
});

describe('SearchFeed in a flood', () => {
  // The clock stands still, so that a flood has no pause, however slow the machine is.
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }));
  afterEach(() => void vi.useRealTimers());

  const line = (index: number) => `line ${String(index).padStart(7, '0')} ${'.'.repeat(60)}\r\n`;
  const chunk = (index: number) => Array.from({ length: 800 }, (_, at) => line(index * 800 + at)).join('');

  it('hardly asks the screen, and feeds the end', async () => {
    const { write, settle, contents, leftOut, screenActor } = fedTerminal();
    await settle();
    const ask = vi.spyOn(screenActor, 'askPlace');
    const chunks = 400;
    for (let index = 0; index < chunks; index++) {
      write(chunk(index));
      await new Promise((resolve) => setImmediate(resolve));
    }
    const inFlood = ask.mock.calls.length;
    await settle();
    const lines = contents().join('\n').split('\n');
    const bytes = chunk(0).length * chunks;
    expect(inFlood).toBeLessThan(bytes / 1e6);
    expect(lines.at(-1)).toBe(line(800 * chunks - 1).trimEnd());
    // Each line comes whole, and once.
    expect(new Set(lines).size).toBe(lines.length);
    expect(lines.length * line(0).length + leftOut()).toBe(bytes);
    expect(leftOut()).toBeGreaterThan(bytes / 2);
    expect(lines.every((each, index) => index === 0 || each > lines[index - 1]!)).toBe(true);
  });

  it('leaves out the end if it may have been drawn on the alternate screen', async () => {
    const { write, settle, contents, leftOut } = fedTerminal();
    write('before\r\n\x1b[?1049h');
    await settle();
    let bytes = 0;
    for (let index = 0; index < 200; index++) {
      write(chunk(index));
      bytes += chunk(index).length;
      await new Promise((resolve) => setImmediate(resolve));
    }
    write('\x1b[?1049lafter\r\n');
    await settle();
    write('found\r\n');
    await settle();
    // If the flood happens to pause before its end, the feed knows which screen the end is on. Nothing of the other
    // screen may come.
    expect(contents().filter((text) => text !== 'after')).toEqual(['before', 'found']);
    expect(leftOut()).toBeGreaterThan(bytes / 2);
  });

  it('feeds nothing of the alternate screen, however long the pauses of the flood are', async () => {
    const random = new Random(1);
    for (let turn = 0; turn < 8; turn++) {
      const { write, settle, contents } = fedTerminal();
      write('before\r\n\x1b[?1049h');
      await settle();
      for (let index = 0; index < 60; index++) {
        write(chunk(index));
        vi.advanceTimersByTime(random.of([0, 0, 0, 20, 300, 1_000, 5_000]));
        await new Promise((resolve) => setImmediate(resolve));
      }
      write('\x1b[?1049lafter\r\n');
      await settle();
      vi.advanceTimersByTime(60_000);
      write('found\r\n');
      await settle();
      expect(contents().filter((text) => text !== 'after')).toEqual(['before', 'found']);
    }
  });

  it('feeds the end even if lines in it are overwritten', async () => {
    const { write, settle, contents } = fedTerminal();
    await settle();
    for (let index = 0; index < 200; index++) {
      write(chunk(index));
      await new Promise((resolve) => setImmediate(resolve));
    }
    write(' 10%\r 99%\r\nbuilt\r\n');
    await settle();
    expect(contents().at(-1)?.split('\n').slice(-3)).toEqual([line(159_999).trimEnd(), ' 99%', 'built']);
  });

  it('leaves room for terminals of the same shard that print little', async () => {
    const first = fedTerminal();
    const floods = [first, ...Array.from({ length: 9 }, () => fedTerminal({ renderer: first.renderer }))];
    const other = fedTerminal({ renderer: first.renderer });
    await Promise.all([...floods, other].map(({ settle }) => settle()));
    for (let index = 0; index < 50; index++) {
      for (const { write } of floods) write(chunk(index));
      await new Promise((resolve) => setImmediate(resolve));
    }
    other.write('built\r\n');
    await other.settle();
    expect(other.contents()).toEqual(['built']);
    await floods[9]?.settle();
    expect(floods[9]?.contents().at(-1)).toMatch(new RegExp(`${line(39_999).trimEnd()}$`));
  });
});

describe('mayTurnScreen', () => {
  const turns = (output: string) => mayTurnScreen([{ bytes: Buffer.from(output) }]);

  it('detects sequences that may show or leave the alternate screen, also cut in two', () => {
    for (const output of [
      '\x1b[?1049h',
      '\x1b[?47l',
      '\x1b[?25;1047h',
      '\x1b[?1047;25l',
      '\u009b?1049h',
      '\x1bc',
    ])
      expect(turns(`a${output}b`)).toBe(true);
    const bytes = Buffer.from('\x1b[?1049h');
    expect(
      mayTurnScreen([{ bytes: bytes.subarray(0, 3) }, { cols: 9, rows: 9 }, { bytes: bytes.subarray(3) }]),
    ).toBe(true);
  });

  it('detects nothing in other output', () => {
    for (const output of [
      '1049',
      '\x1b[?25h',
      '\x1b[?10490h',
      '\x1b[1049h',
      '\x1b[31m\x1b]0;c\x07',
      '\x1b[?2004h',
    ])
      expect(turns(output)).toBe(false);
  });
});
