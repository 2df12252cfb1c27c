import type { RunResult } from '../contract/run.js';
import type { Runs } from './runs/runs.js';
import type { Waits } from './waits/waits.js';

/** Counts how commands that were run, and regular expressions, have ended since the service began. */
export class Outcomes {
  /**
   * By terminal. Of `unknown` nobody told the exit code, `unfinished` went on when the answer was given, `refused`
   * could not be typed or followed, or its shell did not run it.
   */
  readonly runs = { succeeded: 0, failed: 0, unknown: 0, unfinished: 0, refused: 0 };
  #slowRegexes = 0;

  get slowRegexes(): number {
    return this.#slowRegexes;
  }

  /** The same runs, which are counted from now on. */
  ofRuns(runs: Pick<Runs, 'run' | 'batch'>): Pick<Runs, 'run' | 'batch'> {
    return {
      run: async (id, request, origin, client) => {
        try {
          const result = await runs.run(id, request, origin, client);
          this.#count({ success: true, ...result });
          return result;
        } catch (error) {
          // That nobody waits for the command any more says nothing of it.
          if (!client.aborted) this.runs.refused++;
          throw error;
        }
      },
      batch: async (...request) => {
        const answer = await runs.batch(...request);
        for (const result of answer.results) this.#count(result);
        return answer;
      },
    };
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

  #count({ success, done, exitCode }: Pick<RunResult, 'success' | 'done' | 'exitCode'>): void {
    if (!success) this.runs.refused++;
    else if (!done) this.runs.unfinished++;
    else if (exitCode === null) this.runs.unknown++;
    else if (exitCode === 0) this.runs.succeeded++;
    else this.runs.failed++;
  }
}
