import { monitorEventLoopDelay } from 'node:perf_hooks';

/** Milliseconds between two samples of a loop: precise enough for a stall, and an idle thread barely wakes. */
const RESOLUTION_MS = 50;

/** Delays of a thread's event loop, in seconds. */
export interface LoopDelay {
  p50: number;
  p99: number;
  max: number;
}

/** Measures the event loop of the thread that creates it. */
export class LoopDelayMeter {
  readonly #histogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS });

  constructor() {
    this.#histogram.enable();
  }

  /** Returns the delays since the previous call; zeros if there was no sample yet. */
  take(): LoopDelay {
    const { count, max } = this.#histogram;
    const [p50, p99] = [this.#histogram.percentile(50), this.#histogram.percentile(99)];
    this.#histogram.reset();
    return count === 0
      ? { p50: 0, p99: 0, max: 0 }
      : { p50: secondsLate(p50), p99: secondsLate(p99), max: secondsLate(max) };
  }
}

/** Returns the delay in seconds. The histogram holds the nanoseconds from one sample to the next. */
function secondsLate(nanoseconds: number): number {
  return Math.max(0, nanoseconds / 1e9 - RESOLUTION_MS / 1e3);
}
