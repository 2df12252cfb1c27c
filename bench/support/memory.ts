import { readFileSync } from 'node:fs';

/** Memory counts as settled once it has made no new low for this long. */
const SETTLED_MS = 5_000;
/** Least drop that counts as a new low; smaller drops are the noise of a running process. */
const FALL_BYTES = 512 * 1024;
const POLL_MS = 250;

export interface Memory {
  /** Resident bytes, including pages of mapped files such as the store's. */
  rss: number;
  /** Resident bytes; a shared page counts only with the process's share of it. */
  pss: number;
  /** Resident bytes without a file behind them: heaps and stacks. */
  anonymous: number;
}

/** Returns the memory of the processes together, from smaps_rollup. */
export function memoryOf(pids: readonly number[]): Memory {
  const sum = { rss: 0, pss: 0, anonymous: 0 };
  for (const pid of pids) {
    const rollup = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8');
    const bytes = (name: string) =>
      Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(rollup)?.[1]) * 1024;
    sum.rss += bytes('Rss');
    sum.pss += bytes('Pss');
    sum.anonymous += bytes('Anonymous');
  }
  return sum;
}

/** Returns by how much the memory has grown. */
export function grownBy(before: Memory, after: Memory): Memory {
  return {
    rss: after.rss - before.rss,
    pss: after.pss - before.pss,
    anonymous: after.anonymous - before.anonymous,
  };
}

/**
 * Waits until the processes' resident memory has not fallen for 5 s, at least `atLeastMs` and at most `deadlineMs`.
 * Resolves with the last measurement, and whether it had settled.
 */
export async function settledMemory(
  pids: readonly number[],
  { atLeastMs = 0, deadlineMs = 90_000 } = {},
): Promise<Memory & { hasSettled: boolean }> {
  const begin = performance.now();
  let low = Number.POSITIVE_INFINITY;
  let lowAt = begin;
  for (;;) {
    const now = performance.now();
    const memory = memoryOf(pids);
    if (memory.rss < low - FALL_BYTES) {
      low = memory.rss;
      lowAt = now;
    }
    const hasSettled = now - lowAt >= SETTLED_MS && now - begin >= atLeastMs;
    if (hasSettled || now - begin >= deadlineMs) return { ...memory, hasSettled };
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}
