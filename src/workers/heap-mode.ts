import { setFlagsFromString } from 'node:v8';

/** Processor time of the process, in cores, up to which its heaps are kept small. */
const UNHURRIED_CORES = 0.6;

export interface Clocks {
  /** Processor time of the process, in milliseconds. */
  cpu: () => number;
  /** Milliseconds of a monotonic clock. */
  now: () => number;
}

const CLOCKS: Clocks = {
  cpu: () => {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1_000;
  },
  now: () => performance.now(),
};

/**
 * Returns a function that chooses between small heaps and quick ones, for all threads of the process, by the processor time
 * that the process took since the previous call. Call it from one thread, every few seconds.
 *
 * Small heaps: V8 compacts sooner, lets a full collection be followed by others, and shrinks the young generation, which
 * then does not grow. Collections take more processor time in all, which a busy process does not have.
 */
export function heapModeByLoad({ cpu, now }: Clocks = CLOCKS): () => void {
  let before = { cpu: cpu(), at: now() };
  chooseHeaps(false);
  return () => {
    const last = before;
    before = { cpu: cpu(), at: now() };
    const cores = (before.cpu - last.cpu) / (before.at - last.at);
    // Chosen each time, because V8 sets the factor of the young generation back when a thread starts.
    chooseHeaps(cores <= UNHURRIED_CORES);
  };
}

/** Sets V8's flags, which apply to all isolates of the process. */
function chooseHeaps(isUnhurried: boolean): void {
  setFlagsFromString(isUnhurried ? '--optimize-for-size' : '--no-optimize-for-size');
  setFlagsFromString(`--semi-space-growth-factor=${isUnhurried ? 1 : 2}`);
}
