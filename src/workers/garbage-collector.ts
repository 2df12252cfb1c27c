import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Collects this thread's garbage at once; `minor` collects only the young generation, in a millisecond. */
export type Collect = (options?: { type: 'minor' }) => void;

/** Returns the garbage collector of this thread. */
export function garbageCollector(): Collect {
  setFlagsFromString('--expose-gc');
  return runInNewContext('gc') as Collect;
}
