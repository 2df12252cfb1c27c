import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { SLEEP_AFTER_MS } from '../../src/contract/limits.js';
import { AwakeScreenLru } from '../../src/workers/shard/awake-screen-lru.js';
import { screenActor } from '../support/screen-actor.js';
import { callsOf } from '../support/watched-screen.js';

const SIZE = { cols: 81, rows: 23 };
const STEP_MS = 100;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

/** A terminal whose program prints one line again and again. */
function printing(line: string) {
  const awake = new AwakeScreenLru();
  const actor = screenActor(
    { position: 0, bytes: new Uint8Array(0), ...SIZE, confirmed: 0 },
    { awake, scrollback: 1_000 },
  );
  const print = async (bytesEach: number, ms: number) => {
    const piece = Buffer.from(line.repeat(Math.ceil(bytesEach / line.length)));
    for (const end = Date.now() + ms; Date.now() < end; ) {
      actor.write(Buffer.from(piece));
      await vi.advanceTimersByTimeAsync(STEP_MS);
    }
  };
  return { awake, print, close: () => actor.close(new Error('closed')) };
}

it.each([
  ['plain lines', 'a line of a log, one like the other\r\n'],
  ['lines with colours', `${'\x1b[38;5;21mword \x1b[38;5;99mword '.repeat(6)}\x1b[m\r\n`],
])('its screen is not put to sleep in a flood of %s, to be woken again at once', async (_, line) => {
  const { print, close } = printing(line);
  const sleeps = callsOf('sleep', SIZE);
  await print(60_000, 10 * SLEEP_AFTER_MS);
  expect(sleeps).not.toHaveBeenCalled();
  close();
});

it('its screen counts as awake once a flood has woken it', async () => {
  const { awake, print, close } = printing('a line of a log, one like the other\r\n');
  await print(1_000, STEP_MS);
  await vi.advanceTimersByTimeAsync(2 * SLEEP_AFTER_MS);
  const needed = vi.spyOn(awake, 'needed');
  await print(200_000, STEP_MS);
  expect(needed).toHaveBeenCalled();
  close();
});
