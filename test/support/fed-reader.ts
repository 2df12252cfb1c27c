import pLimit from 'p-limit';
import { MAX_RENDERS } from '../../src/contract/limits.js';
import { encodeCursor } from '../../src/workers/shard/reader.js';
import { screenActor as screenActorOf } from './screen-actor.js';

/** A terminal whose output the test writes, with the parts that readers need. */
export function fedTerminal(cols = 20, rows = 5) {
  const screenActor = screenActorOf({ cols, rows });
  return {
    source: { screenActor, renders: pLimit(MAX_RENDERS) },
    cursor: () => screenActor.ask((view) => encodeCursor(view.cursor)),
    write: (bytes: Uint8Array) => screenActor.write(bytes),
    end: () => screenActor.close(new Error('the test is over')),
  };
}
