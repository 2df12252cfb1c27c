import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { CHECKPOINT_IDLE_MS, SLEEP_AFTER_MS } from '../../src/contract/limits.js';
import { unpackCheckpoint } from '../../src/workers/shard/checkpoint.js';
import type { Checkpoint } from '../../src/workers/shard/checkpoints.js';
import { RestingScreen } from '../../src/workers/shard/screen/resting-screen.js';
import { Screen } from '../../src/workers/shard/screen/screen.js';
import { CountedSpill } from '../support/counted-spill.js';
import { screenActor as screenActorOf } from '../support/screen-actor.js';

const SIZE = { cols: 40, rows: 6 };
const END = new Error('closed');
/** Enough for a screen that nothing needs to be put to sleep while its program prints. */
const LONG_MS = 3 * SLEEP_AFTER_MS;
const STEP_MS = 100;

let faults: string[];
beforeEach(() => {
  vi.useFakeTimers();
  faults = [];
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  expect(faults).toEqual([]);
});

/** A terminal whose program redraws three rows ten times a second, and a screen that parses all of its output. */
function redrawing() {
  const spill = new CountedSpill();
  const saved: Checkpoint[] = [];
  const screenActor = screenActorOf(
    { position: 0, bytes: new Uint8Array(0), ...SIZE, confirmed: 0 },
    {
      ...{ spill, scrollback: 100 },
      save: (checkpoint) => void saved.push(checkpoint),
      fault: (error) => void faults.push(String(error)),
    },
  );
  const plain = new Screen({ ...SIZE, scrollback: 100 });
  let all = Buffer.alloc(0);
  const write = (text: string) => {
    screenActor.write(Buffer.from(text));
    plain.feed(Buffer.from(text));
    all = Buffer.concat([all, Buffer.from(text)]);
  };
  let frame = 0;
  const redraws = async (ms: number, prepare = () => {}) => {
    for (const end = Date.now() + ms; Date.now() < end; frame++) {
      prepare();
      write(`\x1b[2A\r\x1b[2K\x1b[32mframe ${frame}\x1b[39m\r\n\x1b[2K${'é·'.repeat(frame % 20)}\r\n`);
      await vi.advanceTimersByTimeAsync(STEP_MS);
    }
  };
  const lines = async () => {
    const answer = screenActor.ask(({ screen }) => screen.serialize({ scrollback: true }));
    await vi.advanceTimersByTimeAsync(STEP_MS);
    return answer;
  };
  /** What a shard that takes over has: the last checkpoint, and all output after it. */
  const restored = () => {
    const { bytes, position } = saved.at(-1)!;
    const again = new Screen({ ...SIZE, scrollback: 100 });
    again.feed(unpackCheckpoint(bytes));
    again.feed(all.subarray(position));
    return again.serialize({ scrollback: true });
  };
  const expected = () => plain.serialize({ scrollback: true });
  write(`${'before\r\n'.repeat(20)}\r\n\r\n`);
  return { screenActor, spill, saved, write, redraws, lines, restored, expected, printed: () => all.length };
}

it('sleeps while nobody asks, is the same when somebody does, and sleeps again', async () => {
  const { screenActor, redraws, lines, expected, restored, write, spill } = redrawing();
  const sleeps = vi.spyOn(RestingScreen.prototype, 'sleep');
  const wakes = vi.spyOn(RestingScreen.prototype, 'awake');
  for (let times = 1; times <= 3; times++) {
    await redraws(LONG_MS);
    expect(sleeps).toHaveBeenCalledTimes(times);
    wakes.mockClear();
    await redraws(LONG_MS);
    expect(wakes).not.toHaveBeenCalled();
    expect(restored()).toBe(expected());
    if (times === 2) write('\x1b[31mother output\r\n');
    expect(await lines()).toBe(expected());
  }
  screenActor.close(END);
  expect(spill.held.size).toBe(0);
});

it('is saved while it sleeps, so that the pty host keeps little of its output', async () => {
  const { screenActor, redraws, restored, expected, saved, printed } = redrawing();
  await redraws(LONG_MS);
  const before = saved.length;
  let most = 0;
  await redraws(20 * LONG_MS, () => {
    most = Math.max(most, printed() - saved.at(-1)!.position);
  });
  expect(saved.length).toBeGreaterThan(before);
  expect(most).toBeLessThan(52 * 1024);
  expect(restored()).toBe(expected());
  screenActor.close(END);
});

it('rests like any other once its program has paused, and takes its last redraw from there', async () => {
  const { screenActor, redraws, lines, restored, expected, spill } = redrawing();
  await redraws(LONG_MS);
  for (const pauseMs of [CHECKPOINT_IDLE_MS, LONG_MS]) {
    await vi.advanceTimersByTimeAsync(pauseMs);
    await redraws(10 * STEP_MS);
    expect(restored()).toBe(expected());
  }
  await vi.advanceTimersByTimeAsync(LONG_MS);
  expect(await lines()).toBe(expected());
  screenActor.close(END);
  expect(spill.held.size).toBe(0);
});

it('stays awake while the shard itself looks at it', async () => {
  const { screenActor, redraws, lines, expected } = redrawing();
  const sleeps = vi.spyOn(RestingScreen.prototype, 'sleep');
  const own = true;
  await redraws(3 * LONG_MS, () => {
    if (Date.now() % (SLEEP_AFTER_MS / 4) < STEP_MS) void screenActor.ask(() => undefined, own);
  });
  expect(sleeps).not.toHaveBeenCalled();
  expect(await lines()).toBe(expected());
  screenActor.close(END);
});

it('waits longer if its scrollback is long', async () => {
  const { screenActor, redraws, lines, expected, write } = redrawing();
  const sleeps = vi.spyOn(RestingScreen.prototype, 'sleep');
  const line = Array.from({ length: 40 }, (_, at) => `\x1b[38;2;${at};${at};${at}mx`).join('');
  write(`${line}\r\n`.repeat(100));
  await redraws(LONG_MS);
  expect(sleeps).not.toHaveBeenCalled();
  await redraws(2 * LONG_MS);
  expect(sleeps).toHaveBeenCalledTimes(1);
  expect(await lines()).toBe(expected());
  screenActor.close(END);
});

it('stays awake where it cannot be stored exactly, without trying again and again', async () => {
  const { screenActor, redraws, lines, expected, write, saved } = redrawing();
  const sleeps = vi.spyOn(RestingScreen.prototype, 'sleep');
  write('\x1b]8;;https://example.com\x1b\\link\x1b]8;;\x1b\\\r\n\r\n\r\n');
  await redraws(LONG_MS);
  const before = saved.length;
  await redraws(LONG_MS);
  expect(sleeps).not.toHaveBeenCalled();
  expect(saved.length).toBe(before);
  expect(await lines()).toBe(expected());
  screenActor.close(END);
});
