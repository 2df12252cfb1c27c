import pLimit from 'p-limit';
import { onTestFinished } from 'vitest';
import { IN_MEMORY } from '../../src/workers/kept.js';
import { AwakeScreenLru } from '../../src/workers/shard/awake-screen-lru.js';
import type { Checkpoint } from '../../src/workers/shard/checkpoints.js';
import { ParseLoop } from '../../src/workers/shard/parse-loop.js';
import { SpareScreen } from '../../src/workers/shard/screen/spare-screen.js';
import { ScreenActor, type ScreenKeeperOptions } from '../../src/workers/shard/screen-actor.js';

type Origin = Pick<Checkpoint, 'cols' | 'rows'> & Partial<Checkpoint> & { confirmed?: number };

const throwIt = (error: unknown): never => {
  throw error;
};

/**
 * Makes the screen actor of a terminal in a shard of its own, without output before `origin`. The actor closes with the
 * test: the unit tests share a thread, and its timers would go off among the fake timers of a later test.
 */
export function screenActor(origin: Origin, options: Partial<ScreenKeeperOptions> = {}): ScreenActor {
  const actor = new ScreenActor(
    {
      ...{ loop: new ParseLoop(), awake: new AwakeScreenLru(), spare: new SpareScreen(), spill: IN_MEMORY },
      wakes: pLimit(1),
      ...{ scrollback: 100, reply: () => {}, confirm: () => {}, save: () => {}, fault: throwIt },
      ...options,
    },
    { ...{ position: 0, bytes: new Uint8Array(), confirmed: 0 }, ...origin },
  );
  onTestFinished(() => actor.close(new Error('the test is over')));
  return actor;
}
