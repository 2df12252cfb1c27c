import { monitorEventLoopDelay } from 'node:perf_hooks';

/** Milliseconds between two looks at a loop: a stall is seen to within this, and an idle thread barely wakes. */
const RESOLUTION_MS = 50;

/** How late a thread's event loop was, in seconds. */
export interface LoopDelay {
  p50: number;
  p99: number;
  max: number;
}

/** Watches the event loop of the thread that it is made in. */
export class LoopDelayMeter {
  readonly #histogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS });

  constructor() {
    this.#histogram.enable();
  }

  /** The delays since the call before; zeros when there was no time for any. */
  take(): LoopDelay {
    const { count, max } = this.#histogram;
    const [p50, p99] = [this.#histogram.percentile(50), this.#histogram.percentile(99)];
    this.#histogram.reset();
    return count === 0
      ? { p50: 0, p99: 0, max: 0 }
      : { p50: secondsLate(p50), p99: secondsLate(p99), max: secondsLate(max) };
  }
}

/** The histogram holds the nanoseconds from one look to the next. */
function secondsLate(nanoseconds: number): number {
  return Math.max(0, nanoseconds / 1e9 - RESOLUTION_MS / 1e3);
}
