import pLimit from 'p-limit';
import { DomainError } from '../contract/errors.js';
import { MAX_RENDERS, MAX_SCREENSHOTS } from '../contract/limits.js';
import type { JobPool } from '../workers/jobs/pool.js';
import type { Screens } from './screens.js';
import type { Terminals } from './terminals.js';

export interface ScreenshotsOptions {
  terminals: Pick<Terminals, 'get'>;
  screens: Pick<Screens, 'snapshot'>;
  jobs: Pick<JobPool, 'run'>;
}

/** Takes pictures of terminals' screens. */
export class Screenshots {
  readonly #options: ScreenshotsOptions;
  /**
   * Limits how many snapshots are requested at once: a snapshot of a large screen takes 20 MB, and hundreds may wait
   * for the thread.
   */
  readonly #limit = pLimit(MAX_RENDERS);
  #count = 0;

  constructor(options: ScreenshotsOptions) {
    this.#options = options;
  }

  /**
   * Returns the screen as PNG, as it is when the request's turn comes. Throws terminal-not-found, `unavailable` if too
   * many requests wait already, and the signal's reason, upon which the work ends.
   */
  async png(id: string, signal: AbortSignal): Promise<Uint8Array> {
    if (this.#count >= MAX_SCREENSHOTS) throw new DomainError('unavailable');
    this.#count++;
    try {
      return await this.#limit(() => this.#take(id, signal));
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
