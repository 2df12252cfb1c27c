import type { Transferable } from 'node:worker_threads';
import { Piscina } from 'piscina';
import { DomainError } from '../../contract/errors.js';
import {
  JOB_IDLE_MS,
  JOB_OLD_HEAP_MIB,
  JOB_YOUNG_HEAP_MIB,
  MAX_JOB_THREADS,
  MAX_QUEUED_JOBS,
} from '../../contract/limits.js';
import type * as jobs from './main.js';

type Jobs = typeof jobs;
type Input<Name extends keyof Jobs> = Parameters<Jobs[Name]>[0];
type Result<Name extends keyof Jobs> = Awaited<ReturnType<Jobs[Name]>>;

export interface JobOptions {
  /** Ends the job: its thread with it, where it runs already. */
  signal?: AbortSignal;
  /** Moved into the job's thread. */
  transfer?: Transferable[];
}

export interface JobPoolOptions {
  /** Started at once and kept: a thread takes 50 to 300 ms to start. */
  readyThreads?: number;
  maxThreads?: number;
}

/** Threads for stateless work that would hold up a loop: exports, search scans, screenshots. */
export class JobPool {
  readonly #pool: Piscina;

  constructor({ readyThreads = 0, maxThreads = MAX_JOB_THREADS }: JobPoolOptions = {}) {
    this.#pool = new Piscina({
      filename: new URL('./main.js', import.meta.url).href,
      minThreads: readyThreads,
      maxThreads,
      idleTimeout: JOB_IDLE_MS,
      maxQueue: MAX_QUEUED_JOBS,
      resourceLimits: {
        maxYoungGenerationSizeMb: JOB_YOUNG_HEAP_MIB,
        maxOldGenerationSizeMb: JOB_OLD_HEAP_MIB,
      },
      // The default blocks an idle thread's loop, and jobs that stream wait in it.
      atomics: 'disabled',
    });
  }

  /** Jobs that wait for a thread. */
  get queued(): number {
    return this.#pool.queueSize;
  }

  /** Runs a job of `main.ts`. Rejects with what it throws, or with `unavailable` when too many wait already. */
  async run<Name extends keyof Jobs & string>(
    name: Name,
    input: Input<Name>,
    { signal, transfer }: JobOptions = {},
  ): Promise<Result<Name>> {
    if (this.#pool.queueSize >= MAX_QUEUED_JOBS) throw new DomainError('unavailable');
    return this.#pool.run(input, { name, signal, transferList: transfer });
  }

  /** Runs a job in each thread that is there and has nothing to do. Rejects as {@link run}. */
  async runInIdle<Name extends keyof Jobs & string>(name: Name, input: Input<Name>): Promise<void> {
    // Threads take one job at a time, so that as many at once as there are threads reach each of them.
    await Promise.all(this.#pool.threads.map(() => this.run(name, input)));
  }

  /** Ends all threads; jobs in work reject. */
  async close(): Promise<void> {
    await this.#pool.destroy();
  }
}
