import { DomainError } from '../../contract/errors.js';
import { REGEX_DEADLINE_MS, REGEX_GRACE_MS, REGEX_SLICE_MS } from '../../contract/limits.js';
import type { JobPool } from '../../workers/jobs/pool.js';
import type { PatternResult } from '../../workers/jobs/regex.js';
import { WaitOver } from './scope.js';

type Answer = Exclude<PatternResult, { kind: 'invalid' }>;

/** Of unicode, in one pattern; each may take 0.2 ms to be read, which the main thread does not do for more. */
const MAX_PROPERTIES = 10;

interface Task {
  pattern: string;
  texts: readonly string[];
  signal: AbortSignal;
  resolve: (answer: Answer) => void;
  reject: (reason: unknown) => void;
}

/**
 * Tries regular expressions, one at a time on a thread of their own. Each gets a short time first; one that needs
 * more waits in a second line, which gets half of the thread: it ends there by the deadline of one run.
 */
export class Patterns {
  readonly #jobs: Pick<JobPool, 'run'>;
  readonly #quick: Task[] = [];
  readonly #slow: Task[] = [];
  #isRunning = false;
  /** Time that the first line has had since the second one had any. */
  #quickMs = 0;

  /** @param jobs - of one thread, that nobody else uses */
  constructor(jobs: Pick<JobPool, 'run'>) {
    this.#jobs = jobs;
  }

  /** Throws invalid-request for a pattern that is none; one that is long to read is left to {@link match}. */
  check(pattern: string): void {
    if (pattern.split(/\\[pP]/, MAX_PROPERTIES + 2).length > MAX_PROPERTIES + 1) return;
    try {
      new RegExp(pattern, 'mu');
    } catch (error) {
      throw new DomainError('invalid-request', `regex: ${(error as Error).message}`);
    }
  }

  /** How many wait for their turn or are at it. */
  get waiting(): number {
    return this.#quick.length + this.#slow.length + (this.#isRunning ? 1 : 0);
  }

  /** The first match in one of the texts. Rejects with invalid-request for a pattern that is none, and as the signal says. */
  match(pattern: string, texts: readonly string[], signal: AbortSignal): Promise<Answer> {
    return new Promise((resolve, reject) => {
      if (signal.aborted) {
        reject(signal.reason);
        return;
      }
      const abort = () => {
        for (const line of [this.#quick, this.#slow]) {
          const place = line.indexOf(task);
          if (place !== -1) line.splice(place, 1);
        }
        reject(signal.reason);
      };
      const settled = () => signal.removeEventListener('abort', abort);
      const task: Task = {
        ...{ pattern, texts, signal },
        resolve: (answer) => {
          settled();
          resolve(answer);
        },
        reject: (reason) => {
          settled();
          reject(reason);
        },
      };
      signal.addEventListener('abort', abort, { once: true });
      this.#quick.push(task);
      void this.#work();
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
    // What is over the slice went into the start of the thread, or into its end.
    const tookMs = Math.min(REGEX_SLICE_MS, performance.now() - begin);
    if (!isLast && this.#slow.length > 0) this.#quickMs += tookMs;
  }

  /** A run that does not end by itself takes its thread with it. */
  async #run({ pattern, texts }: Task, deadlineMs: number): Promise<PatternResult> {
    const overdue = new AbortController();
    const timer = setTimeout(() => overdue.abort(new WaitOver()), deadlineMs + REGEX_GRACE_MS);
    const { signal } = overdue;
    try {
      return await this.#jobs.run('matchPattern', { pattern, texts, deadlineMs }, { signal });
    } catch (error) {
      if (signal.aborted) return { kind: 'too-slow' };
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }
}
