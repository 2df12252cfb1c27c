import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { ScreenRows } from '../../src/contract/screen-rows.js';
import { RowCopies } from '../../src/workers/shard/screen/text/row-copies.js';
import { internals } from '../../src/workers/shard/screen/xterm/internals.js';
import { drain } from '../../src/workers/shard/steps.js';
import { RowsClient, shownBy } from '../support/rows-client.js';
import { Bare } from '../support/screen-pair.js';
import { session } from '../support/screen-streams.js';
import { tries } from '../support/tries.js';

const MANY = 1e9;

/** `npm run test:long` sets 5,000. */
const RUNS = tries(300);

function frameOf(copies: RowCopies, since: number | null, most = MANY): ScreenRows | undefined {
  const json = copies.frame(since, most);
  return json === undefined ? undefined : JSON.parse(json);
}

const takeFrom = (copies: RowCopies, { term }: Bare) =>
  drain(copies.take(internals(term), { cols: term.cols, rows: term.rows }));

test('clients that look seldom draw what the screen shows', () => {
  const looks = fc.array(fc.constantFrom([], [0], [1], [0, 1], [2]), { minLength: 1, maxLength: 12 });
  fc.assert(
    fc.property(session, looks, ({ size, before, after }, when) => {
      const bare = new Bare(size, 5);
      const copies = new RowCopies();
      const clients = [new RowsClient(), new RowsClient(), new RowsClient()];
      try {
        for (const [index, step] of [...before, ...after].entries()) {
          bare.do(step);
          // The copy is also made without a frame now and then, as happens with several clients.
          if (index % 3 !== 1) takeFrom(copies, bare);
          for (const number of when[index % when.length]!) {
            takeFrom(copies, bare);
            const client = clients[number]!;
            const frame = frameOf(copies, client.base);
            if (frame) client.take(frame);
            const { isCursorHidden } = internals(bare.term).coreService;
            expect(client.shown).toEqual(shownBy(bare.term, !isCursorHidden));
          }
        }
      } finally {
        bare.dispose();
      }
    }),
    { numRuns: RUNS },
  );
});

test('a frame has only the rows that have changed, and there is none if nothing has', () => {
  const bare = new Bare({ cols: 20, rows: 4 }, 5);
  const copies = new RowCopies();
  bare.do('one\r\n\x1b[31mtwo\x1b[m\r\ne\u0301\r\n');
  takeFrom(copies, bare);
  const first = frameOf(copies, null)!;
  expect(first).toEqual({
    ...{ n: first.n, from: null, cols: 20, rows: 4, alt: false, cursor: [0, 3, true] },
    lines: [
      [0, ['one']],
      [1, [['two', 1, -1, 0]]],
      [2, [['e\u0301', -1, -1, 0, 1]]],
    ],
  });
  takeFrom(copies, bare);
  expect(frameOf(copies, first.n)).toBeUndefined();
  bare.do('\x1b[?25l');
  takeFrom(copies, bare);
  const second = frameOf(copies, first.n)!;
  expect(second).toMatchObject({ from: first.n, cursor: [0, 3, false], lines: [] });
  bare.do('\x1b[3;1He\u0300');
  takeFrom(copies, bare);
  expect(frameOf(copies, second.n)).toMatchObject({ lines: [[2, [['e\u0300', -1, -1, 0, 1]]]] });
  // The base is of another copy, such as a copy of an earlier shard.
  expect(frameOf(copies, second.n + 2 ** 41)).toMatchObject({ from: null });
  bare.dispose();
});

test('a frame in the midst of a copy tells what was there before', () => {
  const bare = new Bare({ cols: 1_000, rows: 100 }, 0);
  const copies = new RowCopies();
  const fill = (text: string, rows: number) => {
    for (let row = 1; row <= rows; row++) bare.do(`\x1b[${row};1H${text.repeat(900)}`);
  };
  fill('a', 100);
  takeFrom(copies, bare);
  const before = frameOf(copies, null);
  for (const change of [() => fill('b', 100), () => bare.do({ cols: 1_000, rows: 90 })]) {
    change();
    const steps = copies.take(internals(bare.term), { cols: bare.term.cols, rows: bare.term.rows });
    expect(steps.next().done).toBe(false);
    expect(frameOf(copies, null)).toEqual(before);
  }
  bare.dispose();
});

test('a frame that would be too long says so, and the next one is whole again', () => {
  const bare = new Bare({ cols: 100, rows: 10 }, 0);
  const copies = new RowCopies();
  for (let row = 1; row <= 10; row++) bare.do(`\x1b[${row};1H${'x'.repeat(90)}`);
  takeFrom(copies, bare);
  const client = new RowsClient();
  const large = frameOf(copies, null, 500)!;
  expect(large).toMatchObject({ from: null, tooLarge: true, lines: [] });
  client.take(large);
  bare.do('\x1b[4;9H\x1b[J');
  takeFrom(copies, bare);
  client.take(frameOf(copies, client.base, 500)!);
  expect(client.shown).toEqual(shownBy(bare.term, true));
  bare.dispose();
});
