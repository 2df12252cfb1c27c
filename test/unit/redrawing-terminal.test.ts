import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { CHECKPOINT_IDLE_MS, SLEEP_AFTER_MS } from '../../src/contract/limits.js';
import { callsOf, watchedScreen } from '../support/watched-screen.js';

/** Time enough to put an unneeded screen to sleep, even while its program prints. */
const LONG_MS = 3 * SLEEP_AFTER_MS;
const STEP_MS = 100;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

/** A terminal whose program redraws three rows ten times a second. */
function redrawing() {
  const watched = watchedScreen();
  let frame = 0;
  const redraws = async (ms: number, prepare = () => {}) => {
    for (const end = Date.now() + ms; Date.now() < end; frame++) {
      prepare();
      watched.write(
        `\x1b[2A\r\x1b[2K\x1b[32mframe ${frame}\x1b[39m\r\n\x1b[2K${'é·'.repeat(frame % 20)}\r\n`,
      );
      await vi.advanceTimersByTimeAsync(STEP_MS);
    }
  };
  watched.write(`${'before\r\n'.repeat(20)}\r\n\r\n`);
  return { ...watched, redraws };
}

it('sleeps while nobody asks, is the same when somebody does, and sleeps again', async () => {
  const { close, redraws, lines, expected, restored, write } = redrawing();
  const sleeps = callsOf('sleep');
  const wakes = callsOf('awake');
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
  close();
});

it('is saved while it sleeps, so that the pty host keeps little of its output', async () => {
  const { close, redraws, restored, expected, saved, printed } = redrawing();
  await redraws(LONG_MS);
  const before = saved.length;
  let most = 0;
  await redraws(20 * LONG_MS, () => {
    most = Math.max(most, printed() - saved.at(-1)!.position);
  });
  expect(saved.length).toBeGreaterThan(before);
  expect(most).toBeLessThan(52 * 1024);
  expect(restored()).toBe(expected());
  close();
});

it('rests like any other once its program has paused, and takes its last redraw from there', async () => {
  const { close, redraws, lines, restored, expected } = redrawing();
  await redraws(LONG_MS);
  for (const pauseMs of [CHECKPOINT_IDLE_MS, LONG_MS]) {
    await vi.advanceTimersByTimeAsync(pauseMs);
    await redraws(10 * STEP_MS);
    expect(restored()).toBe(expected());
  }
  await vi.advanceTimersByTimeAsync(LONG_MS);
  expect(await lines()).toBe(expected());
  close();
});

it('stays awake while the shard itself looks at it', async () => {
  const { screenActor, close, redraws, lines, expected } = redrawing();
  const sleeps = callsOf('sleep');
  const own = true;
  await redraws(3 * LONG_MS, () => {
    if (Date.now() % (SLEEP_AFTER_MS / 4) < STEP_MS) void screenActor.ask(() => undefined, own);
  });
  expect(sleeps).not.toHaveBeenCalled();
  expect(await lines()).toBe(expected());
  close();
});

it('waits longer if its scrollback is long', async () => {
  const { close, redraws, lines, expected, write } = redrawing();
  const sleeps = callsOf('sleep');
  const line = Array.from({ length: 40 }, (_, at) => `\x1b[38;2;${at};${at};${at}mx`).join('');
  write(`${line}\r\n`.repeat(100));
  await redraws(LONG_MS);
  expect(sleeps).not.toHaveBeenCalled();
  await redraws(2 * LONG_MS);
  expect(sleeps).toHaveBeenCalledTimes(1);
  expect(await lines()).toBe(expected());
  close();
});

it('stays awake where it cannot be stored exactly, without trying again and again', async () => {
  const { close, redraws, lines, expected, write, saved } = redrawing();
  const sleeps = callsOf('sleep');
  write('\x1b]8;;https://example.com\x1b\\link\x1b]8;;\x1b\\\r\n\r\n\r\n');
  await redraws(LONG_MS);
  const before = saved.length;
  await redraws(LONG_MS);
  expect(sleeps).not.toHaveBeenCalled();
  expect(saved.length).toBe(before);
  expect(await lines()).toBe(expected());
  close();
});
