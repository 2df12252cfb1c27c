import { MAX_JOB_THREADS, SCAN_FIRST_BLOCKS, SCAN_STEP_BLOCKS } from '../../contract/limits.js';
import type { BlockRange } from '../../store/search/search-store.js';
import { unlessAborted } from '../abortable.js';

/** Findings of one job in a part of an index's blocks. */
export interface Step<Item> {
  /** In the order in which the job found them. */
  items: Item[];
  /** Blocks that could not be read. */
  damaged: number[];
}

/** Runs a job that looks through the blocks from `newest` down to `oldest`; `missing` more items are wanted. */
export type RunStep<Item> = (step: BlockRange, missing: number) => Promise<Step<Item>>;

interface Found<Item> {
  items: Set<Item>;
  damaged: number[];
}

/**
 * Looks through blocks, newest first, until there are `limit` different items. The first step is small, since most
 * searches end in it; larger ones follow, as many at a time as there are threads. Rejects with `unavailable` at the
 * deadline; jobs in work end by themselves soon after.
 */
export async function scanSteps<Item>(
  range: BlockRange,
  limit: number,
  run: RunStep<Item>,
  deadline: AbortSignal,
): Promise<Step<Item>> {
  const found: Found<Item> = { items: new Set(), damaged: [] };
  const ahead: Array<Promise<Step<Item>>> = [];
  try {
    for (const [index, step] of stepsOf(range).entries()) {
      ahead.push(run(step, limit - found.items.size));
      // The first step runs alone. After it, one step is awaited while others are in work.
      if (index > 0 && ahead.length < MAX_JOB_THREADS) continue;
      await take(ahead, found, deadline);
      if (found.items.size >= limit) break;
    }
    while (ahead.length > 0 && found.items.size < limit) await take(ahead, found, deadline);
  } finally {
    // Nobody awaits the remaining steps, so their errors would be unhandled rejections.
    for (const step of ahead) step.catch(() => undefined);
  }
  return { items: [...found.items].slice(0, limit), damaged: found.damaged };
}

async function take<Item>(
  ahead: Array<Promise<Step<Item>>>,
  found: Found<Item>,
  deadline: AbortSignal,
): Promise<void> {
  const [next] = ahead;
  if (!next) return;
  const { items, damaged } = await unlessAborted(next, deadline);
  ahead.shift();
  for (const item of items) found.items.add(item);
  found.damaged.push(...damaged);
}

/** Returns the range in steps, newest first. */
function stepsOf({ folder, oldest, newest }: BlockRange): BlockRange[] {
  const steps: BlockRange[] = [];
  for (let top = newest; top >= oldest; ) {
    const blocks = steps.length === 0 ? SCAN_FIRST_BLOCKS : SCAN_STEP_BLOCKS;
    const bottom = Math.max(oldest, top - blocks + 1);
    steps.push({ folder, oldest: bottom, newest: top });
    top = bottom - 1;
  }
  return steps;
}
