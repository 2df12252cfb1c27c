import { performance } from 'node:perf_hooks';
import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { isMainThread } from 'node:worker_threads';
import { MiB } from '../contract/limits/units.js';
import { MEMORY_LOOK_MS } from '../contract/limits.js';
import { loadCLibrary } from './c-library.js';
import { garbageCollector } from './garbage-collector.js';
import { heapModeByLoad } from './heap-mode.js';

/** Milliseconds of work after which a thread has enough garbage to be worth a collection, which takes 10 to 50 ms. */
const WORKED_MS = 100;

/** A thread counts as quiet if it works at most this share of its time. */
const QUIET = 0.03;

/**
 * Quiet looks in a row before a minor collection, and again as many before the full collection. V8 shrinks its young
 * generation only if little was allocated for 5 s and since the previous collection; the minor one starts that period.
 */
const QUIET_LOOKS = 3;

/** Quiet looks that a busy look cancels; not all, since work every few seconds must not keep memory for ever. */
const BUSY_LOOKS = 2;

/** Pause after a collection: a thread of V8 hands the memory to the C library within some 100 ms. */
const SWEEP_MS = 1_000;

/**
 * Growth in percent since the last full collection at which V8 begins the next. By itself V8 waits until a heap is up to
 * four times as large, and counts freed buffers like the others: 200 shells at work then keep 300 MB of garbage.
 */
const GROWTH_PERCENT = 50;

/** Share of its time up to which a thread that is not quiet is unhurried: a collection of 10 to 50 ms then delays little. */
const UNHURRIED = 0.3;

/**
 * For a thread that was not quiet for long: the least time between two times that it gives memory back, and the growth
 * since its last full collection at which it collects. V8 lets a heap grow by a part of its live size at the last
 * collection; if that was in the middle of a large answer, the garbage of the answer stays for minutes.
 */
const AT_WORK = {
  unhurried: { afterMs: 10_000, garbageBytes: 8 * MiB },
  busy: { afterMs: 30_000, garbageBytes: 32 * MiB },
};

/** Free bytes on the pages of a heap from which compacting it is worth the time. */
const MIN_SCATTERED_BYTES = 8 * MiB;

/** Live bytes of a heap above which it is not compacted, nor collected at work: that would stop the thread for over 100 ms. */
const MAX_STOPPED_BYTES = 64 * MiB;

/**
 * Gives freed memory back to the system: now and then while this thread works, and thoroughly when it is quiet again.
 * V8 collects only when something is allocated, which a quiet thread does not do; V8 leaves nearly empty pages in place;
 * and the C library keeps freed memory. Without this, 300 screens of 1,000 lines that were put to sleep leave 550 MB.
 */
export function releaseWhenQuiet(): void {
  // The flags apply to all isolates of the process.
  setFlagsFromString(`--heap-growing-percent=${GROWTH_PERCENT}`);
  // Helper threads take longer to share a small young generation than a thread takes to collect it by itself.
  setFlagsFromString('--no-parallel-scavenge');
  const collect = garbageCollector();
  const trim = memoryTrimmer();
  const chooseHeapMode = isMainThread ? heapModeByLoad() : undefined;
  let before = performance.eventLoopUtilization();
  /** Time worked up to the last release, in milliseconds. */
  let released = before.active;
  let quietLooks = 0;
  let trimmedAt = performance.now();
  /** Bytes in use after the last full collection, or the lowest use since. */
  let liveBytes = usedBytes();
  setInterval(() => {
    chooseHeapMode?.();
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, before);
    const isQuiet = utilization <= QUIET;
    const { afterMs, garbageBytes } = utilization <= UNHURRIED ? AT_WORK.unhurried : AT_WORK.busy;
    before = now;
    const hasWorked = now.active - released >= WORKED_MS;
    quietLooks = hasWorked && isQuiet ? quietLooks + 1 : Math.max(0, quietLooks - BUSY_LOOKS);
    if (isQuiet && quietLooks === QUIET_LOOKS) collect({ type: 'minor' });
    if (hasWorked && performance.now() - trimmedAt >= afterMs) {
      liveBytes = Math.min(liveBytes, usedBytes());
      if (usedBytes() - liveBytes >= garbageBytes && liveBytes <= MAX_STOPPED_BYTES) {
        collect();
        liveBytes = usedBytes();
      }
      setTimeout(() => trim?.(), SWEEP_MS).unref();
      trimmedAt = performance.now();
    }
    if (quietLooks < 2 * QUIET_LOOKS) return;
    quietLooks = 0;
    const collecting = timed(collect);
    setTimeout(() => {
      const trimming = timed(() => {
        if (isScattered()) compact(collect);
        trim?.();
      });
      // The release itself leaves nothing to collect, so its time does not count. Other work in that time does.
      released = now.active + collecting + trimming;
    }, SWEEP_MS).unref();
  }, MEMORY_LOOK_MS).unref();
}

/** Returns the bytes of this thread's heap that are in use or not collected yet, with the buffers that it holds. */
function usedBytes(): number {
  const { used_heap_size: used, external_memory: external } = getHeapStatistics();
  return used + external;
}

/** Runs `work` and returns its duration in milliseconds. */
function timed(work: () => void): number {
  const begin = performance.now();
  work();
  return performance.now() - begin;
}

/** Returns whether the heap's pages hold little: 20 MB of 1,000 sleeping screens occupied 73 MB of pages. */
function isScattered(): boolean {
  const { total_heap_size: total, used_heap_size: used } = getHeapStatistics();
  return total - used >= MIN_SCATTERED_BYTES && used <= MAX_STOPPED_BYTES;
}

function compact(collect: () => void): void {
  // The flag applies to all isolates of the process: an isolate that collects at this moment is compacted, too.
  setFlagsFromString('--compact-on-every-full-gc');
  collect();
  setFlagsFromString('--no-compact-on-every-full-gc');
}

/** Returns `malloc_trim` of glibc; undefined without glibc. Other C libraries give memory back by themselves. */
function memoryTrimmer(): (() => void) | undefined {
  const library = loadCLibrary(process.platform, process.arch);
  if ('missing' in library || !library.has('malloc_trim')) return undefined;
  const trim = library.func('int malloc_trim(size_t pad)');
  return () => trim(0);
}
