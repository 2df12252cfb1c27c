import { expect, vi } from 'vitest';
import { unpackCheckpoint } from '../../src/workers/shard/checkpoint.js';
import type { Checkpoint } from '../../src/workers/shard/checkpoints.js';
import { RestingScreen } from '../../src/workers/shard/screen/resting-screen.js';
import { Screen } from '../../src/workers/shard/screen/screen.js';
import type { ScreenKeeperOptions } from '../../src/workers/shard/screen-actor.js';
import { CountedSpill } from './counted-spill.js';
import { screenActor as screenActorOf } from './screen-actor.js';

/** Size of the watched screens. No other test may use it. */
export const SIZE = { cols: 41, rows: 6 };
const SCROLLBACK = 100;
/** Milliseconds in which the actor answers a question. */
const ANSWER_MS = 100;

/**
 * Counts the calls of a method for screens of this size, until `vi.restoreAllMocks()`. The size tells them apart:
 * screens that other files of the same worker left open go to sleep meanwhile.
 */
export function callsOf(method: 'sleep' | 'awake', { cols, rows } = SIZE) {
  const calls = vi.fn();
  const original = RestingScreen.prototype[method] as (this: RestingScreen, ...args: unknown[]) => unknown;
  vi.spyOn(RestingScreen.prototype, method).mockImplementation(function (
    this: RestingScreen,
    ...args: unknown[]
  ) {
    if (this.cols === cols && this.rows === rows) calls();
    return original.apply(this, args) as never;
  });
  return calls;
}

/**
 * Returns a screen actor, and a screen that parses all of the same output. Needs fake timers.
 *
 * @param shared - parts of the shard that several actors share
 */
export function watchedScreen(shared: Partial<Pick<ScreenKeeperOptions, 'loop' | 'wakes'>> = {}) {
  const spill = new CountedSpill();
  const saved: Checkpoint[] = [];
  const faults: string[] = [];
  const screenActor = screenActorOf(
    { position: 0, bytes: new Uint8Array(0), ...SIZE, confirmed: 0 },
    {
      ...{ spill, scrollback: SCROLLBACK, ...shared },
      save: (checkpoint) => void saved.push(checkpoint),
      fault: (error) => void faults.push(String(error)),
    },
  );
  const plain = new Screen({ ...SIZE, scrollback: SCROLLBACK });
  let all = Buffer.alloc(0);
  const write = (text: string) => {
    screenActor.write(Buffer.from(text));
    plain.feed(Buffer.from(text));
    all = Buffer.concat([all, Buffer.from(text)]);
  };
  const lines = async () => {
    const answer = screenActor.ask(({ screen }) => screen.serialize({ scrollback: true }));
    await vi.advanceTimersByTimeAsync(ANSWER_MS);
    return answer;
  };
  /** Returns the screen of a shard that takes over: the last checkpoint, and all output after it. */
  const restored = () => {
    const { bytes, position } = saved.at(-1)!;
    const again = new Screen({ ...SIZE, scrollback: SCROLLBACK });
    again.feed(unpackCheckpoint(bytes));
    again.feed(all.subarray(position));
    return again.serialize({ scrollback: true });
  };
  const close = () => {
    screenActor.close(new Error('closed'));
    expect(spill.held.size).toBe(0);
    expect(faults).toEqual([]);
  };
  const expected = () => plain.serialize({ scrollback: true });
  const expectedPlace = () => ({ position: all.length, ...plain.cursor() });
  return {
    ...{ screenActor, saved, write, lines, restored, close },
    expected,
    expectedPlace,
    printed: () => all.length,
  };
}
