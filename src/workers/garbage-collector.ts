import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Collects the garbage of this thread at once: with `minor` only what is young, which takes a millisecond. */
export type Collect = (options?: { type: 'minor' }) => void;

export function garbageCollector(): Collect {
  setFlagsFromString('--expose-gc');
  return runInNewContext('gc') as Collect;
}
