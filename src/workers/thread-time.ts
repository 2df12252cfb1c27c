import { readFileSync, readlinkSync } from 'node:fs';

/**
 * Returns the number by which the system knows this thread; undefined where the system does not say, as outside of
 * Linux.
 */
export function threadNumber(): number | undefined {
  const path = unlessGone(() => readlinkSync('/proc/thread-self'));
  return path === undefined ? undefined : Number(path.split('/').at(-1));
}

/**
 * Returns the milliseconds of processor time that a thread of this process has used, from its `schedstat`; undefined for a
 * thread that has ended, and for a kernel that does not count them.
 */
export function threadMs(thread: number): number | undefined {
  const text = unlessGone(() => readFileSync(`/proc/self/task/${thread}/schedstat`, 'utf8'));
  return text === undefined ? undefined : Number.parseInt(text, 10) / 1e6;
}

/** Returns what is read of `/proc`; undefined if it is not there. A thread may end between the opening and the reading. */
function unlessGone(read: () => string): string | undefined {
  try {
    return read();
  } catch (error) {
    if (['ENOENT', 'ESRCH'].includes((error as NodeJS.ErrnoException).code ?? '')) return undefined;
    throw error;
  }
}

/** Content of the first cell of a run whose thread's processor time the system does not count. */
const UNCOUNTED = -1;

/**
 * Returns shared memory for the processor time of a run on another thread: the number of the thread once the run has begun,
 * and the milliseconds that the thread had used by then.
 */
export function newRunTime(): Int32Array {
  return new Int32Array(new SharedArrayBuffer(2 * Int32Array.BYTES_PER_ELEMENT));
}

/** Reports the begin of a run on this thread, whose {@link threadNumber} is `thread`. */
export function beginRunTime(run: Int32Array, thread: number | undefined): void {
  const ms = thread === undefined ? undefined : threadMs(thread);
  Atomics.store(run, 1, Math.floor(ms ?? 0));
  Atomics.store(run, 0, thread === undefined || ms === undefined ? UNCOUNTED : thread);
}

/** Returns the milliseconds of processor time of a run: none before it has begun, infinitely many if they are not counted. */
export function usedMs(run: Int32Array): number {
  const [thread, beginMs] = [Atomics.load(run, 0), Atomics.load(run, 1)];
  if (thread === 0) return 0;
  const ms = thread === UNCOUNTED ? undefined : threadMs(thread);
  return ms === undefined ? Number.POSITIVE_INFINITY : ms - beginMs;
}
