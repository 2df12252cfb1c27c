import { DomainError } from '../../contract/errors.js';
import {
  MAX_JOB_THREADS,
  SCAN_FIRST_BLOCKS,
  SCAN_STEP_BLOCKS,
  SEARCH_DEADLINE_MS,
} from '../../contract/limits.js';
import type { BlockRange } from '../../store/search/search-store.js';

/** Part of an index's blocks, and what one job found in it. */
export interface Step<Item> {
  /** In order, as many as were asked for at most. */
  items: Item[];
  /** Blocks that could not be read. */
  damaged: number[];
}

/** Has one job look through the blocks from `newest` down to `oldest`, for `limit` items. */
export type RunStep<Item> = (step: BlockRange, limit: number) => Promise<Step<Item>>;

/**
 * Looks through blocks, newest first, until there are `limit` items: a small step first, since most searches end in
 * it, then larger ones, as many at a time as there are threads. Rejects with `unavailable` at the deadline; jobs in
 * work end by themselves soon after.
 */
export async function scanSteps<Item>(
  range: BlockRange,
  limit: number,
  run: RunStep<Item>,
): Promise<Step<Item>> {
  const found: Step<Item> = { items: [], damaged: [] };
  const deadline = deadlineIn(SEARCH_DEADLINE_MS);
  const ahead: Array<Promise<Step<Item>>> = [];
  try {
    for (const [index, step] of stepsOf(range).entries()) {
      ahead.push(run(step, limit - found.items.length));
      // The first step alone; then one step is awaited while others are in work.
      if (index > 0 && ahead.length < MAX_JOB_THREADS) continue;
      await take(ahead, found, deadline.passed);
      if (found.items.length >= limit) break;
    }
    while (ahead.length > 0 && found.items.length < limit) await take(ahead, found, deadline.passed);
  } finally {
    deadline.clear();
    // Nobody waits for the rest, whose faults would be unheard.
    for (const step of ahead) step.catch(() => undefined);
  }
  return { items: found.items.slice(0, limit), damaged: found.damaged };
}

async function take<Item>(
  ahead: Array<Promise<Step<Item>>>,
  found: Step<Item>,
  deadlinePassed: Promise<never>,
): Promise<void> {
  const [next] = ahead;
  if (!next) return;
  const { items, damaged } = await Promise.race([next, deadlinePassed]);
  ahead.shift();
  found.items.push(...items);
  found.damaged.push(...damaged);
}

/** The range in steps, newest first. */
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

function deadlineIn(ms: number): { passed: Promise<never>; clear: () => void } {
  let timer: NodeJS.Timeout | undefined;
  const passed = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new DomainError('unavailable')), ms);
  });
  passed.catch(() => undefined);
  return { passed, clear: () => clearTimeout(timer) };
}
