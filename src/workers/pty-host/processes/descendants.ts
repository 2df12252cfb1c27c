import { readdirSync, readFileSync } from 'node:fs';

/** Enough for a shell's jobs; a build with more processes is not worth the time. */
const MAX_DESCENDANTS = 256;

/**
 * Yields the processes that descend from this one, at most 256. The children of each are looked up once its turn has
 * come: they inherit what is set for it before, or are found. Linux only, and empty where it does not tell.
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

/** Each thread lists the children that it has started itself. */
function childrenOf(pid: number): number[] {
  try {
    return readdirSync(`/proc/${pid}/task`).flatMap((thread) =>
      readFileSync(`/proc/${pid}/task/${thread}/children`, 'latin1').split(' ').filter(Boolean).map(Number),
    );
  } catch {
    // The process has ended meanwhile, or the kernel does not tell.
    return [];
  }
}
