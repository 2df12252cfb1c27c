import { setImmediate } from 'node:timers/promises';
import { PROCESS_SLICE } from '../../contract/limits.js';

/** Calls `visit` for each item, in order; yields the thread to other work after every PROCESS_SLICE items. */
export async function inSlices<T>(items: readonly T[], visit: (item: T) => void): Promise<void> {
  for (let at = 0; at < items.length; at += PROCESS_SLICE) {
    if (at > 0) await setImmediate();
    for (const item of items.slice(at, at + PROCESS_SLICE)) visit(item);
  }
}
