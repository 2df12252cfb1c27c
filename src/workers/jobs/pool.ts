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

/** The threads of a pool, until none can start any more. */
interface Threads {
  piscina: Piscina;
  /** Why no thread can start; undefined while some can. */
  fault?: Error;
  /** Reject the jobs that are not settled yet. */
  waiting: Set<(fault: Error) => void>;
}

/** Threads for stateless work that would block an event loop: exports, search scans, screenshots. */
export class JobPool {
  readonly #options: JobPoolOptions;
  #threads: Threads;

  constructor(options: JobPoolOptions = {}) {
    this.#options = options;
    this.#threads = this.#open();
  }

  /** Number of jobs that wait for a thread. */
  get queued(): number {
    return this.#threads.piscina.queueSize;
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
    // A pool whose threads cannot start keeps jobs that nobody awaits, and would be full for ever.
    if (this.#threads.fault) this.#threads = this.#open();
    const threads = this.#threads;
    if (threads.piscina.queueSize >= MAX_QUEUED_JOBS) throw new DomainError('unavailable');
    try {
      return await unlessLost(threads, start(threads, name, input, { signal, transfer }));
    } catch (error) {
      startThreadFor(threads);
      if (signal?.aborted || !threads.fault) throw error;
      throw new DomainError('unavailable', undefined, { cause: threads.fault });
    }
  }

  /** Runs a job in each idle thread. Rejects as {@link run}. */
  async runInIdle<Name extends keyof Jobs & string>(name: Name, input: Input<Name>): Promise<void> {
    // A thread takes one job at a time, so as many jobs as threads reach every idle thread.
    await Promise.all(this.#threads.piscina.threads.map(() => this.run(name, input)));
  }

  /** Ends all threads; jobs in work reject. */
  async close(): Promise<void> {
    // Without threads, there may be jobs that nobody awaits, and that would reject.
    if (!this.#threads.fault) await this.#threads.piscina.destroy();
  }

  #open(): Threads {
    const { readyThreads = 0, maxThreads = MAX_JOB_THREADS } = this.#options;
    const piscina = new Piscina({
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
    const threads: Threads = { piscina, waiting: new Set() };
    // Without a listener this would end the service.
    piscina.on('error', (error: Error) => {
      this.#options.onFault?.(error);
      if (piscina.threads.length === 0) lose(threads, error);
    });
    return threads;
  }
}

/** Notes that no thread can start any more, which rejects the jobs that wait. */
function lose(threads: Threads, fault: Error): void {
  threads.fault ??= fault;
  for (const reject of threads.waiting) reject(fault);
}

/** Settles as a job does, or rejects once no thread can start any more. */
async function unlessLost<T>({ waiting }: Threads, job: Promise<T>): Promise<T> {
  // One promise for each job: a promise that all wait for would remember each of them.
  let reject: (fault: Error) => void = () => {};
  const lost = new Promise<never>((_, fail) => {
    reject = fail;
  });
  waiting.add(reject);
  try {
    return await Promise.race([job, lost]);
  } finally {
    waiting.delete(reject);
  }
}

/** Gives a job to the threads. Rejects with `unavailable` if the system refuses the thread that it needs. */
async function start<Name extends keyof Jobs & string>(
  threads: Threads,
  name: Name,
  input: Input<Name>,
  { signal, transfer }: JobOptions = {},
): Promise<Result<Name>> {
  let result: Promise<Result<Name>>;
  try {
    result = threads.piscina.run(input, { name, signal, transferList: transfer });
  } catch (cause) {
    // Piscina keeps the job, and another thread may still run it; nobody awaits it.
    if (threads.piscina.threads.length === 0) lose(threads, cause as Error);
    throw new DomainError('unavailable', undefined, { cause });
  }
  return result;
}

/** Starts a thread for the jobs that wait, if there is none since the last one has ended. */
function startThreadFor(threads: Threads): void {
  const { piscina, fault } = threads;
  if (fault || piscina.queueSize === 0 || piscina.threads.length > 0) return;
  // A failure ends the threads, and so reaches the jobs that wait.
  start(threads, 'startThread', undefined).catch(() => undefined);
}
