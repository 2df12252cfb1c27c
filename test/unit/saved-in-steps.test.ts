import type { Terminal } from '@xterm/headless';
import { expect, test } from 'vitest';
import { packSteps, unpackCheckpoint } from '../../src/workers/shard/checkpoint.js';
import { Screen } from '../../src/workers/shard/screen/screen.js';
import { serializeScreen, serializeSteps } from '../../src/workers/shard/screen/serialize/serialize.js';
import { styledRowSteps } from '../../src/workers/shard/screen/text/styled-rows.js';
import { internals } from '../../src/workers/shard/screen/xterm/internals.js';
import { createTerminal, writeSync } from '../../src/workers/shard/screen/xterm/terminal.js';
import type { Steps } from '../../src/workers/shard/steps.js';
import { Random } from '../support/random.js';

const SIZE = { cols: 400, rows: 300 };
const SCROLLBACK = 300;

/** Returns lines that wrap, with a different colour for each character, and with some links that are opened again. */
function painting(): string {
  const random = new Random(1);
  const cell = () => `\x1b[38;2;${random.below(256)};${random.below(256)};${random.below(256)}m中`;
  const row = (at: number) =>
    `\x1b]8;;http://host/${at % 50}\x07${Array.from({ length: 200 }, cell).join('')}\x1b]8;;\x07${at % 3 ? '' : '\r\n'}`;
  return Array.from({ length: 500 }, (_, at) => row(at)).join('');
}

function painted(): Terminal {
  const term = createTerminal(SIZE.cols, SIZE.rows, SCROLLBACK);
  writeSync(term, painting());
  return term;
}

/** Runs the steps; returns the number of rows that each step reads, and the result. */
function rowsRead<Result>(term: Terminal, steps: Steps<Result>): { perStep: number[]; result: Result } {
  const { lines } = internals(term).buffers.normal;
  const get = lines.get;
  const perStep: number[] = [];
  lines.get = (index) => {
    perStep[perStep.length - 1]! += 1;
    return get.call(lines, index);
  };
  for (;;) {
    perStep.push(0);
    const { done, value } = steps.next();
    if (!done) continue;
    lines.get = get;
    return { perStep, result: value };
  }
}

/** Most rows of a step: a row has at least 400 cells and 4,000 units, and is read up to four times. */
const MOST_ROWS = 4 * 90;

test('a screen is serialized in steps of some rows each, to the same text', () => {
  const term = painted();
  const { perStep, result } = rowsRead(term, serializeSteps(internals(term), true));
  expect(result.parts.join('')).toBe(serializeScreen(internals(term), true).text);
  expect(perStep.length).toBeGreaterThan(result.parts.join('').length / 50_000);
  expect(Math.max(...perStep)).toBeLessThan(MOST_ROWS);
  // Longer parts would be joined at once.
  expect(Math.max(...result.parts.map((part) => part.length))).toBeLessThan(80_000);
});

test('the rows of a capture are made in steps', () => {
  const term = painted();
  const { perStep, result } = rowsRead(term, styledRowSteps(internals(term).buffers.normal, 0));
  expect(result).toHaveLength(internals(term).buffers.normal.lines.length);
  expect(perStep.length).toBeGreaterThan(result.join('').length / 50_000);
  expect(Math.max(...perStep)).toBeLessThan(MOST_ROWS);
});

test('a checkpoint is packed in steps, and returns the text', () => {
  const screen = new Screen({ ...SIZE, scrollback: SCROLLBACK });
  screen.feed(Buffer.from(`${painting()}\x1b]0;not finish`));
  const steps = packSteps(screen, { detail: 'whole', deflate: true });
  let count = 0;
  let packed: Uint8Array | undefined;
  while (!packed) {
    const { done, value } = steps.next();
    count++;
    if (done) packed = value.packed;
  }
  const text = screen.serialize({ scrollback: true });
  // The steps serialize, encode and deflate the text.
  expect(count).toBeGreaterThan((3 * text.length) / 70_000);
  expect(Buffer.from(unpackCheckpoint(packed)).toString()).toBe(`${text}\x1b]0;not finish`);
});
