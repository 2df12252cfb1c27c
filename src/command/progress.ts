import type { Context } from './context.js';
import { USUAL_COLUMNS } from './format.js';
import { safeLines } from './one-line.js';

/** Milliseconds between two drawings: people read no faster, and a terminal far away is not flooded. */
const DRAW_MS = 100;

/** Work of fewer steps ends before a person can read a line about it. */
const MIN_STEPS = 5;

export interface ProgressOptions {
  total: number;
  /** Result of each step in a word, such as `ended`. */
  done: string;
}

/**
 * A line about long work, such as `37 of 500 ended`, on a terminal at standard error: updated in place, and erased
 * before anything else is written there or to standard output. Writes nothing where standard error is no terminal.
 */
export class Progress {
  readonly #context: Pick<Context, 'stderr' | 'env'>;
  readonly #options: ProgressOptions;
  readonly #isShown: boolean;
  #steps = 0;
  #isDrawn = false;
  /** On the clock of `performance.now`, which begins with the process. */
  #drawnAt = Number.NEGATIVE_INFINITY;

  constructor(context: Pick<Context, 'stderr' | 'env'>, options: ProgressOptions) {
    this.#context = context;
    this.#options = options;
    this.#isShown =
      context.stderr.isTTY === true && context.env.TERM !== 'dumb' && options.total >= MIN_STEPS;
  }

  /** Counts a step. */
  advance(): void {
    this.#steps += 1;
    const now = performance.now();
    if (!this.#isShown || now - this.#drawnAt < DRAW_MS) return;
    this.#drawnAt = now;
    this.draw();
  }

  /** Draws the line, also again after {@link erase}. */
  draw(): void {
    if (!this.#isShown || this.#steps === 0) return;
    const { total, done } = this.#options;
    const text = `${this.#steps} of ${total} ${done}`;
    // A line that wraps could not be erased.
    this.#context.stderr.write(
      `\r\x1b[2K${text.slice(0, (this.#context.stderr.columns || USUAL_COLUMNS) - 1)}`,
    );
    this.#isDrawn = true;
  }

  /** Erases the line, before something else is written. */
  erase(): void {
    if (!this.#isDrawn) return;
    this.#isDrawn = false;
    this.#context.stderr.write('\r\x1b[2K');
  }

  /** Writes a line for people in place of the progress. */
  say(line: string): void {
    this.erase();
    this.#context.stderr.write(`${safeLines(line)}\n`);
  }
}
