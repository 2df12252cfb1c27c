import pLimit from 'p-limit';
import { MAX_RENDERS } from '../../src/contract/limits.js';
import { IN_MEMORY } from '../../src/workers/kept.js';
import { AwakeScreenLru } from '../../src/workers/shard/awake-screen-lru.js';
import { ParseLoop } from '../../src/workers/shard/parse-loop.js';
import { encodeCursor } from '../../src/workers/shard/reader.js';
import { SpareScreen } from '../../src/workers/shard/screen/spare-screen.js';
import { ScreenActor } from '../../src/workers/shard/screen-actor.js';

/** A terminal whose output the test writes, with the parts that readers need. */
export function fedTerminal(cols = 20, rows = 5) {
  const fault = (error: unknown) => {
    throw error;
  };
  const screenActor = new ScreenActor(
    {
      ...{ loop: new ParseLoop(), awake: new AwakeScreenLru(), spare: new SpareScreen(), spill: IN_MEMORY },
      ...{ scrollback: 100, reply: () => {}, confirm: () => {}, save: () => {}, fault },
    },
    { position: 0, cols, rows, bytes: new Uint8Array(), confirmed: 0 },
  );
  return {
    source: { screenActor, renders: pLimit(MAX_RENDERS) },
    cursor: () => screenActor.ask((view) => encodeCursor(view.cursor)),
    write: (bytes: Uint8Array) => screenActor.write(bytes),
    end: () => screenActor.close(new Error('the test is over')),
  };
}
