import type { RunResult } from '../contract/run.js';
import type { Waits } from './waits/waits.js';

/** Counts how commands that were run, and regular expressions, have ended since the service began. */
export class Outcomes {
  /**
   * By terminal. Of `unknown` nobody told the exit code, `unfinished` went on when the run was over, `refused`
   * could not be typed or followed, or its shell did not run it.
   */
  readonly runs = { succeeded: 0, failed: 0, unknown: 0, unfinished: 0, refused: 0 };
  #slowRegexes = 0;

  get slowRegexes(): number {
    return this.#slowRegexes;
  }

  /** The same waits, whose regular expressions are counted from now on. */
  ofWaits(waits: Pick<Waits, 'wait'>): Pick<Waits, 'wait'> {
    return {
      wait: async (...request) => {
        const answer = await waits.wait(...request);
        if (answer.reason === 'regex-too-slow') this.#slowRegexes++;
        return answer;
      },
    };
  }

  /** Takes in what became of a command in one terminal. */
  count({ success, done, exitCode }: Pick<RunResult, 'success' | 'done' | 'exitCode'>): void {
    if (!success) this.runs.refused++;
    else if (!done) this.runs.unfinished++;
    else if (exitCode === null) this.runs.unknown++;
    else if (exitCode === 0) this.runs.succeeded++;
    else this.runs.failed++;
  }
}
