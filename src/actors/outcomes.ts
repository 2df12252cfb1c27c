import type { RunResult } from '../contract/run.js';
import type { Waits } from './waits/waits.js';

/**
 * Counts, since the service started, how commands that were run ended and how many regular expressions were too slow.
 */
export class Outcomes {
  /**
   * Commands, counted once for each terminal. `unknown`: nothing reported the exit code; `unfinished`: the command
   * continued after the run was over; `refused`: it could not be typed or followed, or its shell did not run it.
   */
  readonly runs = { succeeded: 0, failed: 0, unknown: 0, unfinished: 0, refused: 0 };
  #slowRegexes = 0;

  get slowRegexes(): number {
    return this.#slowRegexes;
  }

  /** Returns the same waits, but counts the waits that end because a regular expression is too slow. */
  ofWaits(waits: Pick<Waits, 'wait'>): Pick<Waits, 'wait'> {
    return {
      wait: async (...request) => {
        const answer = await waits.wait(...request);
        if (answer.reason === 'regex-too-slow') this.#slowRegexes++;
        return answer;
      },
    };
  }

  /** Counts the outcome of a command in one terminal. */
  count({ success, done, exitCode }: Pick<RunResult, 'success' | 'done' | 'exitCode'>): void {
    if (!success) this.runs.refused++;
    else if (!done) this.runs.unfinished++;
    else if (exitCode === null) this.runs.unknown++;
    else if (exitCode === 0) this.runs.succeeded++;
    else this.runs.failed++;
  }
}
