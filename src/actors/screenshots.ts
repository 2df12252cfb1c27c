import { DomainError } from '../contract/errors.js';
import { MAX_SCREENSHOTS } from '../contract/limits.js';
import type { JobPool } from '../workers/jobs/pool.js';
import { RenderTurns } from '../workers/shard/render-turns.js';
import type { Screens } from './screens.js';
import type { Terminals } from './terminals.js';

export interface ScreenshotsOptions {
  terminals: Pick<Terminals, 'get'>;
  screens: Pick<Screens, 'snapshot'>;
  jobs: Pick<JobPool, 'run'>;
}

/** Pictures of what terminals show. */
export class Screenshots {
  readonly #options: ScreenshotsOptions;
  /** Snapshots are asked for by turns: of a large screen one has 20 MB, and hundreds may wait for the thread. */
  readonly #turns = new RenderTurns();
  #count = 0;

  constructor(options: ScreenshotsOptions) {
    this.#options = options;
  }

  /**
   * The screen as it is when its turn comes, as PNG. Throws terminal-not-found, `unavailable` where too many wait
   * already, and the signal's reason, with which the work ends.
   */
  async png(id: string, signal: AbortSignal): Promise<Uint8Array> {
    if (this.#count >= MAX_SCREENSHOTS) throw new DomainError('unavailable');
    this.#count++;
    try {
      return await this.#turns.take(() => this.#take(id, signal));
    } finally {
      this.#count--;
    }
  }

  async #take(id: string, signal: AbortSignal): Promise<Uint8Array> {
    const { terminals, screens, jobs } = this.#options;
    signal.throwIfAborted();
    const { snapshot, cols, rows } = await screens.snapshot(id);
    const hasCursor = terminals.get(id).status !== 'exited';
    try {
      return await jobs.run('takeScreenshot', { snapshot, cols, rows, hasCursor }, { signal });
    } catch (error) {
      signal.throwIfAborted();
      throw error;
    }
  }
}
