import { readdirSync, readFileSync } from 'node:fs';

/** Enough for a shell's jobs; a build with more processes is not worth the time. */
const MAX_DESCENDANTS = 256;

/**
 * Yields the processes that descend from this one, at most 256. The children of each are looked up only after it was
 * yielded: so each child inherits what the caller has set for its parent, or is found, unless its parent was in the middle
 * of fork(2) at that moment. Linux only, and empty where the kernel does not list children.
 */
export function* descendantsOf(pid: number): Generator<number> {
  const parents = [pid];
  let found = 0;
  for (let parent = parents.shift(); parent !== undefined; parent = parents.shift()) {
    if (parent !== pid) yield parent;
    const children = childrenOf(parent).slice(0, MAX_DESCENDANTS - found);
    found += children.length;
    parents.push(...children);
  }
}

/**
 * Returns the children of a process; none if it has ended, or where the kernel does not list children. Each thread lists
 * the children that it has started itself.
 */
export function childrenOf(pid: number): number[] {
  try {
    return readdirSync(`/proc/${pid}/task`).flatMap((thread) =>
      readFileSync(`/proc/${pid}/task/${thread}/children`, 'latin1').split(' ').filter(Boolean).map(Number),
    );
  } catch {
    // The process has ended meanwhile, or the kernel does not list children.
    return [];
  }
}
