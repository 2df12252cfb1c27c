import { processInfo } from '../../test/support/processes.js';

/** Returns the CPU seconds (user and system, all threads) that the processes have used, without their children. */
function cpuSecondsOf(pids: readonly number[]): number {
  return pids.reduce((sum, pid) => {
    const info = processInfo(pid);
    if (!info) throw new Error(`process ${pid} has ended, so its CPU time is unknown`);
    return sum + info.cpuSeconds;
  }, 0);
}

export interface Metered<T> {
  result: T;
  /** Wall-clock seconds. */
  seconds: number;
  /** CPU seconds that the processes used meanwhile, in steps of 10 ms. */
  cpu: number;
}

/** Runs the work, and measures its time and the CPU that these processes used. */
export async function metered<T>(pids: readonly number[], work: () => Promise<T>): Promise<Metered<T>> {
  const before = cpuSecondsOf(pids);
  const begin = performance.now();
  const result = await work();
  const seconds = (performance.now() - begin) / 1000;
  return { result, seconds, cpu: cpuSecondsOf(pids) - before };
}

/** Pause between two readings of CPU time; equal readings mean that the processes are idle. */
const REST_MS = 100;
const REST_DEADLINE_MS = 3_000;

/** As `metered`, but adds the CPU time after the work until the processes are idle, since deferred work counts. */
export async function meteredToRest<T>(pids: readonly number[], work: () => Promise<T>): Promise<Metered<T>> {
  const before = cpuSecondsOf(pids);
  const { result, seconds } = await metered(pids, work);
  const deadline = performance.now() + REST_DEADLINE_MS;
  let [last, now] = [Number.NaN, cpuSecondsOf(pids)];
  while (now !== last && performance.now() < deadline) {
    await new Promise((resolve) => setTimeout(resolve, REST_MS));
    [last, now] = [now, cpuSecondsOf(pids)];
  }
  return { result, seconds, cpu: now - before };
}
