import { DomainError } from '../../contract/errors.js';
import { REGEX_DEADLINE_MS, REGEX_GRACE_MS, REGEX_SLICE_MS } from '../../contract/limits.js';
import type { JobPool } from '../../workers/jobs/pool.js';
import type { PatternResult } from '../../workers/jobs/regex.js';
import { newRunTime, usedMs } from '../../workers/thread-time.js';
import { abortable } from '../abortable.js';
import { WaitOver } from './scope.js';

type Answer = Exclude<PatternResult, { kind: 'invalid' }>;

/** Most unicode properties (`\p`) in a pattern that the main thread parses itself: each may take 0.2 ms to parse. */
const MAX_PROPERTIES = 10;

/** Least time between two looks at how long a pattern has been tried. */
const MIN_LOOK_MS = 100;

interface Task {
  pattern: string;
  texts: readonly string[];
  signal: AbortSignal;
  resolve: (answer: Answer) => void;
  reject: (reason: unknown) => void;
}

/**
 * Tries regular expressions one at a time on a thread of their own. Each first gets REGEX_SLICE_MS. A pattern that
 * needs more waits in a second queue, which gets half of the thread's time, and runs there for REGEX_DEADLINE_MS at
 * most.
 */
export class Patterns {
  readonly #jobs: Pick<JobPool, 'run'>;
  readonly #quick: Task[] = [];
  readonly #slow: Task[] = [];
  #isRunning = false;
  /** Milliseconds that the first queue has used since the second queue last had a turn. */
  #quickMs = 0;

  /** @param jobs - a pool of one thread that nothing else uses */
  constructor(jobs: Pick<JobPool, 'run'>) {
    this.#jobs = jobs;
  }

  /** Throws invalid-request for an invalid pattern. Leaves a pattern that takes long to parse to {@link match}. */
  check(pattern: string): void {
    if (pattern.split(/\\[pP]/, MAX_PROPERTIES + 2).length > MAX_PROPERTIES + 1) return;
    try {
      new RegExp(pattern, 'mu');
    } catch (error) {
      throw new DomainError('invalid-request', `regex: ${(error as Error).message}`);
    }
  }

  /** Number of patterns that are queued or being tried. */
  get waiting(): number {
    return this.#quick.length + this.#slow.length + (this.#isRunning ? 1 : 0);
  }

  /**
   * Resolves with the first match in any of the texts. Rejects with invalid-request for an invalid pattern, and with
   * the signal's reason.
   */
  match(pattern: string, texts: readonly string[], signal: AbortSignal): Promise<Answer> {
    return abortable(signal, (resolve, reject) => {
      const task: Task = { pattern, texts, signal, resolve, reject };
      this.#quick.push(task);
      void this.#work();
      return () => {
        for (const line of [this.#quick, this.#slow]) {
          const place = line.indexOf(task);
          if (place !== -1) line.splice(place, 1);
        }
      };
    });
  }

  async #work(): Promise<void> {
    if (this.#isRunning) return;
    this.#isRunning = true;
    for (let turn = this.#next(); turn; turn = this.#next()) await this.#try(turn.task, turn.isLast);
    this.#isRunning = false;
  }

  #next(): { task: Task; isLast: boolean } | undefined {
    const isSlowTurn = this.#quick.length === 0 || this.#quickMs >= REGEX_DEADLINE_MS;
    const slow = isSlowTurn ? this.#slow.shift() : undefined;
    if (slow) {
      this.#quickMs = 0;
      return { task: slow, isLast: true };
    }
    const quick = this.#quick.shift();
    return quick && { task: quick, isLast: false };
  }

  async #try(task: Task, isLast: boolean): Promise<void> {
    const begin = performance.now();
    try {
      const result = await this.#run(task, isLast ? REGEX_DEADLINE_MS : REGEX_SLICE_MS);
      if (result.kind === 'invalid') throw new DomainError('invalid-request', `regex: ${result.reason}`);
      if (result.kind !== 'too-slow' || isLast) task.resolve(result);
      else if (!task.signal.aborted) this.#slow.push(task);
    } catch (error) {
      task.reject(error);
    }
    // Time beyond the slice was spent on starting or ending the thread.
    const tookMs = Math.min(REGEX_SLICE_MS, performance.now() - begin);
    if (!isLast && this.#slow.length > 0) this.#quickMs += tookMs;
  }

  /**
   * Tries a pattern on its texts. Ends the whole thread if the run is not over REGEX_GRACE_MS after its deadline, both of
   * the thread's processor time: a thread that is kept from running, or has not begun, is not the pattern's fault.
   */
  async #run({ pattern, texts }: Task, deadlineMs: number): Promise<PatternResult> {
    const overdue = new AbortController();
    const begun = newRunTime();
    let timer: NodeJS.Timeout;
    const look = (leftMs: number) => {
      timer = setTimeout(() => {
        const left = deadlineMs + REGEX_GRACE_MS - usedMs(begun);
        if (left > 0) look(Math.max(MIN_LOOK_MS, left));
        else overdue.abort(new WaitOver());
      }, leftMs);
    };
    look(deadlineMs + REGEX_GRACE_MS);
    const { signal } = overdue;
    try {
      return await this.#jobs.run('matchPattern', { pattern, texts, deadlineMs, begun }, { signal });
    } catch (error) {
      if (signal.aborted) return { kind: 'too-slow' };
      throw error;
    } finally {
      clearTimeout(timer!);
    }
  }
}
