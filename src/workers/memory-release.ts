import { performance } from 'node:perf_hooks';
import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { MEMORY_LOOK_MS } from '../contract/limits.js';
import { loadCLibrary } from './c-library.js';
import { garbageCollector } from './garbage-collector.js';

/** A thread that has worked this long has something to give back that is worth the time of a collection: 10 to 50 ms. */
const WORKED_MS = 100;

/** Share of its time that a thread works, up to which it counts as quiet, ... */
const QUIET = 0.03;

/**
 * ... in so many looks one after the other. V8 makes its young generation smaller where little was made for 5 s and since
 * the collection before: a small one begins that time, the one that counts comes after as many looks again.
 */
const QUIET_LOOKS = 3;

/** A busy look sets it back by so many: work that comes each few seconds must not keep memory for ever. */
const BUSY_LOOKS = 2;

/** What was collected is handed to the C library by a thread of V8's, within some 100 ms. */
const SWEEP_MS = 1_000;

/** Pages of a heap that hold so much less than they could are worth the time. */
const MIN_SCATTERED_BYTES = 8 * 1024 * 1024;

/** A heap with more in it than this is not moved together: that would stop the thread for over 100 ms. */
const MAX_COMPACTED_BYTES = 64 * 1024 * 1024;

/**
 * Gives freed memory back to the system each time that this thread has worked and is quiet again. V8 collects when
 * something is allocated, which a quiet thread does not do; it leaves pages with little on them where they are; and
 * the C library keeps what was freed. Without this, 300 screens of 1,000 lines that were put to sleep leave 550 MB.
 */
export function releaseWhenQuiet(): void {
  const collect = garbageCollector();
  const trim = memoryTrimmer();
  let before = performance.eventLoopUtilization();
  /** Time worked, of which nothing is left to give back. */
  let released = before.active;
  let quietLooks = 0;
  setInterval(() => {
    const now = performance.eventLoopUtilization();
    const isQuiet = performance.eventLoopUtilization(now, before).utilization <= QUIET;
    before = now;
    const hasWorked = now.active - released >= WORKED_MS;
    quietLooks = hasWorked && isQuiet ? quietLooks + 1 : Math.max(0, quietLooks - BUSY_LOOKS);
    if (isQuiet && quietLooks === QUIET_LOOKS) collect({ type: 'minor' });
    if (quietLooks < 2 * QUIET_LOOKS) return;
    quietLooks = 0;
    const collecting = timed(collect);
    setTimeout(() => {
      const trimming = timed(() => {
        if (isScattered()) compact(collect);
        trim?.();
      });
      // All this is no work that leaves anything to collect; what others have done meanwhile is.
      released = now.active + collecting + trimming;
    }, SWEEP_MS).unref();
  }, MEMORY_LOOK_MS).unref();
}

/** Milliseconds that it takes. */
function timed(work: () => void): number {
  const begin = performance.now();
  work();
  return performance.now() - begin;
}

/** Whether the heap's pages hold little: 20 MB of 1,000 sleeping screens were seen on 73. */
function isScattered(): boolean {
  const { total_heap_size: total, used_heap_size: used } = getHeapStatistics();
  return total - used >= MIN_SCATTERED_BYTES && used <= MAX_COMPACTED_BYTES;
}

function compact(collect: () => void): void {
  // All isolates of the process go by it: one that collects at this very moment is moved together, too.
  setFlagsFromString('--compact-on-every-full-gc');
  collect();
  setFlagsFromString('--no-compact-on-every-full-gc');
}

/** `malloc_trim` of glibc; undefined with other C libraries, which give memory back by themselves, or without any. */
function memoryTrimmer(): (() => void) | undefined {
  const library = loadCLibrary(process.platform, process.arch);
  if ('missing' in library || !library.has('malloc_trim')) return undefined;
  const trim = library.func('int malloc_trim(size_t pad)');
  return () => trim(0);
}
