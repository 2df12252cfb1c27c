import { Scope } from '../waits/scope.js';
import { interrupt } from './interrupt.js';
import type { KeptPart } from './kept-run.js';
import { newProgress } from './progress.js';
import { runCommand } from './run-command.js';
import type { Turns } from './turns.js';
import { type RunParts, type RunRequest, wasTyped } from './typed.js';

export interface PartDeps {
  parts: RunParts;
  turns: Turns;
  /** Fires when the service stops. */
  stopping: AbortSignal;
}

/** How a part has ended: with what it failed with, where it has. */
export type Settled = { fault?: unknown };

/** One terminal of a run. */
export class Part {
  readonly request: RunRequest;
  readonly progress = newProgress();
  /** Once it has ended, or is not waited for any more. */
  kept: KeptPart | undefined;
  readonly #deps: PartDeps;
  readonly #scope: Scope;
  #isCancelled = false;

  constructor(request: RunRequest, leftMs: number, deps: PartDeps) {
    this.request = request;
    this.#deps = deps;
    this.#scope = new Scope(leftMs, deps.stopping);
  }

  /** Resolves once the command has ended, at the end of the time, and once it is dropped. */
  async through(isResumed: boolean): Promise<Settled> {
    const { turns } = this.#deps;
    const { signal } = this.#scope;
    const work = turns
      .take(this.request.id, signal, () => this.#work(isResumed))
      .then(
        () => ({}),
        (fault: unknown) => (signal.aborted && fault === signal.reason ? {} : { fault }),
      );
    await this.#scope.race(work).catch(() => undefined);
    this.#scope.end();
    return work;
  }

  /** Has it not typed any more, where it has not been. */
  drop(): void {
    if (!this.progress.isTyped) this.#scope.end();
  }

  /** Has it not typed any more, or interrupted. */
  async cancel(): Promise<void> {
    this.#isCancelled = true;
    if (this.progress.isTyped) await this.#interrupt();
    else this.#scope.end();
  }

  async #work(isResumed: boolean): Promise<void> {
    const { parts } = this.#deps;
    const { progress, request } = this;
    // A shell at rest is typed to without a wait: that is too late for a run that is over.
    if (!isResumed) this.#scope.signal.throwIfAborted();
    else if ((this.#scope.leftMs === 0 || this.#isCancelled) && !(await wasTyped(parts, request))) return;
    try {
      await runCommand(parts, { ...request, isResumed }, this.#scope, progress);
    } catch (error) {
      // It was being typed when the run was cancelled.
      if (this.#isCancelled && progress.isTyped) await this.#interrupt();
      throw error;
    }
  }

  #interrupt(): Promise<void> {
    return interrupt(this.#deps.parts, this.request, this.progress, this.#deps.stopping);
  }
}
