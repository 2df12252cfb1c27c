import pLimit from 'p-limit';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { SLEEP_AFTER_MS } from '../../src/contract/limits.js';
import { ParseLoop } from '../../src/workers/shard/parse-loop.js';
import { RestingScreen } from '../../src/workers/shard/screen/resting-screen.js';
import { SIZE, watchedScreen } from '../support/watched-screen.js';

const SHELLS = 6;
/** Bytes that each shell prints: more than twice what a sleeping screen may hold. */
const PRINTED_BYTES = 450 * 1024;
const COMMAND_MS = 500;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

/**
 * Counts the screens of `watchedScreen` that are awake at once. Screens that other files of the same worker left open
 * wake, too: their timers go on while the clock of this test is advanced.
 */
function awakeScreens() {
  const awake = new Set<RestingScreen>();
  const count = { most: 0, sleeps: 0 };
  const isCounted = ({ cols, rows }: RestingScreen) => cols === SIZE.cols && rows === SIZE.rows;
  const wake = RestingScreen.prototype.awake;
  vi.spyOn(RestingScreen.prototype, 'awake').mockImplementation(function (this: RestingScreen) {
    if (isCounted(this)) awake.add(this);
    count.most = Math.max(count.most, awake.size);
    return wake.call(this);
  });
  const sleep = RestingScreen.prototype.sleep;
  vi.spyOn(RestingScreen.prototype, 'sleep').mockImplementation(function (this: RestingScreen, stored) {
    sleep.call(this, stored);
    if (awake.delete(this)) count.sleeps++;
  });
  return count;
}

function commandOutput(index: number): string {
  const line = `\x1b[32m[ok]\x1b[0m file ${index} compiled\r\n`;
  return `\x1b[?2004h$ make\r\n\x1b[?2004l\r${line.repeat(60)}`;
}

it('shells that print the same at the same time are woken one after the other, and lose nothing', async () => {
  const shared = { loop: new ParseLoop(), wakes: pLimit(1) };
  const shells = Array.from({ length: SHELLS }, () => watchedScreen(shared));
  const awake = awakeScreens();
  for (let index = 0; shells[0]!.printed() < PRINTED_BYTES; index++) {
    for (const { write } of shells) write(commandOutput(index));
    await vi.advanceTimersByTimeAsync(COMMAND_MS);
  }
  await vi.advanceTimersByTimeAsync(3 * SLEEP_AFTER_MS);
  expect(awake.sleeps).toBeGreaterThanOrEqual(2 * SHELLS);
  expect(awake.most).toBe(1);
  for (const { expected, lines, restored, close } of shells) {
    expect(restored()).toEqual(expected());
    expect(await lines()).toEqual(expected());
    close();
  }
});

it('a shell that is closed while another is woken gives up its turn', async () => {
  const shared = { loop: new ParseLoop(), wakes: pLimit(1) };
  const [first, second, third] = [watchedScreen(shared), watchedScreen(shared), watchedScreen(shared)];
  const shells = [first, second, third];
  for (let index = 0; first.printed() < PRINTED_BYTES; index++) {
    for (const { write } of shells) write(commandOutput(index));
    await vi.advanceTimersByTimeAsync(COMMAND_MS);
    if (shells.length === 3 && shared.wakes.pendingCount > 0) shells.splice(1, 1)[0]!.close();
  }
  expect(shells.length).toBe(2);
  await vi.advanceTimersByTimeAsync(3 * SLEEP_AFTER_MS);
  expect(shared.wakes.activeCount).toBe(0);
  for (const { expected, lines, close } of [first, third]) {
    expect(await lines()).toEqual(expected());
    close();
  }
});
