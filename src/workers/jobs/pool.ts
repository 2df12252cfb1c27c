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
  /** Aborts the job; if the job runs already, its thread is ended. */
  signal?: AbortSignal;
  /** Objects moved into the job's thread. */
  transfer?: Transferable[];
}

export interface JobPoolOptions {
  /** Threads that are started at once and kept, since a thread takes 50 to 300 ms to start. */
  readyThreads?: number;
  maxThreads?: number;
  /** Called for a thread that could not start, or has died without a job. */
  onFault?: (error: Error) => void;
}

/** Threads for stateless work that would block an event loop: exports, search scans, screenshots. */
export class JobPool {
  readonly #options: JobPoolOptions;
  #pool: Piscina;
  /** Pools whose threads could not start, with the reason; their jobs have been rejected. */
  readonly #givenUp = new WeakMap<Piscina, Error>();

  constructor(options: JobPoolOptions = {}) {
    this.#options = options;
    this.#pool = this.#open();
  }

  /** Number of jobs that wait for a thread. */
  get queued(): number {
    return this.#pool.queueSize;
  }

  /**
   * Runs a job of `main.ts`. Rejects with the job's error, or with `unavailable` if too many jobs wait already, or if no
   * thread can start, as while another release is being installed.
   */
  async run<Name extends keyof Jobs & string>(
    name: Name,
    input: Input<Name>,
    { signal, transfer }: JobOptions = {},
  ): Promise<Result<Name>> {
    if (this.#givenUp.has(this.#pool)) this.#pool = this.#open();
    const pool = this.#pool;
    if (pool.queueSize >= MAX_QUEUED_JOBS) throw new DomainError('unavailable');
    let result: Promise<Result<Name>>;
    try {
      result = pool.run(input, { name, signal, transferList: transfer });
    } catch (cause) {
      // The system refuses a thread. Piscina keeps the job, which nobody awaits: a pool of such jobs would be full for ever.
      if (pool.threads.length === 0) this.#givenUp.set(pool, cause as Error);
      throw new DomainError('unavailable', undefined, { cause });
    }
    try {
      return await result;
    } catch (error) {
      // Its thread may have died, and nothing else starts one for the jobs that wait.
      if (pool.queueSize > 0) this.#giveUpWithoutThreads(pool, error as Error);
      const cause = this.#givenUp.get(pool);
      throw cause && !signal?.aborted ? new DomainError('unavailable', undefined, { cause }) : error;
    }
  }

  /** Runs a job in each idle thread. Rejects as {@link run}. */
  async runInIdle<Name extends keyof Jobs & string>(name: Name, input: Input<Name>): Promise<void> {
    // A thread takes one job at a time, so as many jobs as threads reach every idle thread.
    await Promise.all(this.#pool.threads.map(() => this.run(name, input)));
  }

  /** Ends all threads; jobs in work reject. */
  async close(): Promise<void> {
    // A pool that was given up has no threads, and may have jobs that nobody awaits.
    if (!this.#givenUp.has(this.#pool)) await this.#pool.destroy();
  }

  #open(): Piscina {
    const { readyThreads = 0, maxThreads = MAX_JOB_THREADS } = this.#options;
    const pool = new Piscina({
      filename: new URL('./main.js', import.meta.url).href,
      minThreads: readyThreads,
      maxThreads,
      idleTimeout: JOB_IDLE_MS,
      maxQueue: MAX_QUEUED_JOBS,
      resourceLimits: {
        maxYoungGenerationSizeMb: JOB_YOUNG_HEAP_MIB,
        maxOldGenerationSizeMb: JOB_OLD_HEAP_MIB,
      },
      // The default blocks an idle thread's event loop, in which streaming jobs wait.
      atomics: 'disabled',
    });
    // Without a listener this would end the service.
    pool.on('error', (error: Error) => this.#onThreadFault(pool, error));
    return pool;
  }

  #onThreadFault(pool: Piscina, error: Error): void {
    this.#options.onFault?.(error);
    this.#giveUpWithoutThreads(pool, error);
  }

  /** Rejects the jobs that wait where no thread is left to take them. */
  #giveUpWithoutThreads(pool: Piscina, error: Error): void {
    if (pool.threads.length > 0 || this.#givenUp.has(pool)) return;
    this.#givenUp.set(pool, error);
    void pool.destroy();
  }
}
