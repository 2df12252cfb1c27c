import type { Terminal } from '@xterm/headless';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { MAX_LINK_ROWS, MAX_LINK_SEQUENCE_UNITS, MAX_LINK_UNITS } from '../../src/contract/limits.js';
import { Screen } from '../../src/workers/shard/screen/screen.js';
import { guard } from '../../src/workers/shard/screen/xterm/guards.js';
import { internals } from '../../src/workers/shard/screen/xterm/internals.js';
import { resizeTerminal } from '../../src/workers/shard/screen/xterm/resize.js';
import { createTerminal, writeSync } from '../../src/workers/shard/screen/xterm/terminal.js';
import { assertSameState } from '../support/screen-compare.js';
import type { Size, Step } from '../support/screen-pair.js';
import { session } from '../support/screen-streams.js';
import { tries } from '../support/tries.js';

const RUNS = tries(300);

/** Returns an xterm with all guards, but with its own link service if `isBare`. */
function guarded({ cols, rows }: Size, scrollback: number, isBare: boolean): Terminal {
  const term = createTerminal(cols, rows, scrollback);
  const core = internals(term);
  const { registerLink, addLineToLink } = core._oscLinkService;
  guard(core);
  if (isBare) Object.assign(core._oscLinkService, { registerLink, addLineToLink });
  return term;
}

function feed(term: Terminal, step: Step): void {
  if (typeof step === 'string' || step instanceof Uint8Array) writeSync(term, step);
  else resizeTerminal(term, step.cols, step.rows);
}

function knownLinks(term: Terminal): unknown[][] {
  const service = internals(term)._oscLinkService;
  return [...service._dataByLinkId.values()].map(({ id, data }) => [id, data.id, data.uri]);
}

const link = fc
  .tuple(fc.constantFrom('', 'id=a', 'id=b'), fc.constantFrom('', 'http://one', 'http://two'))
  .map(([id, uri]) => `\x1b]8;${id};${uri}\x07`);
const movement = fc.constantFrom(
  ...[
    'x',
    'xx\r\n',
    '\n\n',
    '\x1bM',
    '\x1b[L',
    '\x1b[3M',
    '\x1b[2S',
    '\x1b[T',
    '\x1b[2J',
    '\x1b[J',
    '\x1b[1J',
  ],
  ...[
    '\x1b[H',
    '\x1b[3;2H',
    '\x1b[9H',
    '\x1b[2;3r',
    '\x1b[r',
    '\x1b[?1049h',
    '\x1b[?1049l',
    '\x1bc',
    '\x1b[3J',
  ],
);
const linkedText = fc.array(fc.oneof({ weight: 2, arbitrary: link }, { weight: 3, arbitrary: movement }), {
  minLength: 1,
  maxLength: 30,
});

test('links are known as long as a bare xterm knows them, after each step', () => {
  fc.assert(
    fc.property(session, fc.array(linkedText, { maxLength: 8 }), (given, linked) => {
      const [bare, ours] = [true, false].map((isBare) => guarded(given.size, given.scrollback, isBare));
      const steps: Step[] = [...given.before, ...given.after];
      for (const [at, text] of linked.entries()) steps.splice(at * 2, 0, ...text);
      for (const step of steps) {
        for (const term of [bare!, ours!]) feed(term, step);
        expect(knownLinks(ours!)).toEqual(knownLinks(bare!));
      }
      assertSameState(ours!, bare!, { scrollback: true, isLater: false });
      for (const term of [bare!, ours!]) term.dispose();
    }),
    { numRuns: RUNS },
  );
});

/** Returns the number of listeners that each scroll calls. xterm's own service has three for each link and row. */
function scrollListeners(term: Terminal): number {
  const { lines } = internals(term).buffers.normal as unknown as {
    lines: { onTrimEmitter: { _size: number } };
  };
  return lines.onTrimEmitter._size;
}

test('200,000 links cost a scroll no more than one', () => {
  const term = guarded({ cols: 80, rows: 24 }, 1000, false);
  const core = internals(term);
  let calls = 0;
  const { clearMarkers } = core.buffers.normal;
  core.buffers.normal.clearMarkers = (line) => {
    calls++;
    clearMarkers.call(core.buffers.normal, line);
  };
  writeSync(term, '\x1b]8;;http://first\x07x\x1b]8;;\x07\r\n');
  const listeners = scrollListeners(term);
  for (let n = 0; n < 200_000; n += 1000) {
    let text = '';
    for (let at = n; at < n + 1000; at++)
      text += `\x1b]8;;http://host/${at}\x07l\x1b]8;;\x07${at % 4 ? ' ' : '\r\n'}`;
    writeSync(term, text);
  }
  expect(scrollListeners(term)).toBe(listeners);
  writeSync(term, '\x1b[2J');
  expect(calls).toBe(24);
  expect(core.buffers.normal as unknown).toMatchObject({ markers: [] });
});

test('beyond the bound of a screen the oldest links are forgotten', () => {
  const screen = new Screen({ cols: 80, rows: 24, scrollback: 0 });
  const term = guarded({ cols: 80, rows: 24 }, 0, false);
  const open = (n: number) => `\r\x1b]8;;http://host/${n}\x07x`;
  let text = '';
  for (let n = 1; n <= MAX_LINK_ROWS + 10; n++) text += open(n);
  writeSync(term, text);
  const known = knownLinks(term);
  expect(known).toHaveLength(MAX_LINK_ROWS);
  expect(known[0]).toEqual([11, undefined, 'http://host/11']);
  screen.feed(Buffer.from(text));
  expect(screen.serialize({ scrollback: false })).toContain(`http://host/${MAX_LINK_ROWS + 10}\x07x`);
});

test('long URIs count by their length, and the open link is kept', () => {
  const term = guarded({ cols: 80, rows: 24 }, 0, false);
  const long = 'u'.repeat(MAX_LINK_SEQUENCE_UNITS - 10);
  const fitting = Math.floor(MAX_LINK_UNITS / (long.length + 2));
  for (let n = 10; n < 12 + fitting; n++) writeSync(term, `\x1b]8;;${n}${long}\x07x`);
  expect(knownLinks(term)).toHaveLength(fitting);
  expect(knownLinks(term).at(-1)![0]).toBe(fitting + 2);
});

test('a sequence that is too long is no link, and ends the link before', () => {
  const term = guarded({ cols: 80, rows: 24 }, 0, false);
  writeSync(term, `\x1b]8;;http://one\x07x\x1b]8;;${'u'.repeat(MAX_LINK_SEQUENCE_UNITS)}\x07y`);
  const line = internals(term).buffers.normal.lines.get(0)!;
  expect([line._extendedAttrs[0]?._urlId, line._extendedAttrs[1]?._urlId ?? 0]).toEqual([1, 0]);
});
