import type { KeyedMutex } from '../keyed-mutex.js';
import { isGone } from '../screens.js';
import { Scope } from '../waits/scope.js';
import { interrupt } from './interrupt.js';
import type { KeptPart } from './kept-run.js';
import { newProgress, type Printed, printedBy } from './progress.js';
import { runCommand } from './run-command.js';
import { type RunParts, type RunRequest, wasTyped } from './typed.js';

export interface PartDeps {
  parts: RunParts;
  turns: KeyedMutex;
  /** Fires when the service stops. */
  stopping: AbortSignal;
}

/** How a part has ended; `fault` is the error where it failed. */
export type Settled = { fault?: unknown };

/** One terminal of a run. */
export class Part {
  readonly request: RunRequest;
  readonly progress = newProgress(() => this.#tell());
  #kept: KeptPart | undefined;
  /** The output of the run, once it is over here. */
  #printed: Printed[] | undefined;
  readonly #listeners = new Set<() => void>();
  readonly #deps: PartDeps;
  readonly #scope: Scope;
  #isCancelled = false;

  constructor(request: RunRequest, leftMs: number, deps: PartDeps) {
    this.request = request;
    this.#deps = deps;
    this.#scope = new Scope(leftMs, deps.stopping);
  }

  /** The id of its terminal. */
  get id(): string {
    return this.request.id;
  }

  /** The outcome, once the command has ended or is not waited for any longer. */
  get kept(): KeptPart | undefined {
    return this.#kept;
  }

  /** The ranges of output of the run, in order, as far as they are certain; no range follows the outcome. */
  get printed(): readonly Printed[] {
    return this.#printed ?? (this.progress.isCertain() ? printedBy(this.progress) : []);
  }

  /** Sets the ranges of output that the outcome is made of. */
  end(printed: Printed[]): void {
    this.#printed = printed;
  }

  /** Sets the outcome. */
  keep(kept: KeptPart): void {
    this.#kept = kept;
    this.#tell();
  }

  /** Calls `listener` once there is an outcome, and for new ranges of output which no shell reports. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /**
   * Follows the command to its end. Resolves once it has ended or failed, when the time is up, and when the part is
   * dropped.
   */
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

  /** Ends the part if its command has not been typed yet; it is not typed then. Resolves with whether it is ended. */
  async drop(): Promise<boolean> {
    const { progress, id, request } = this;
    if (progress.isTyped) return false;
    // A shell that was offered the line may have claimed it first, and its mark may still be under way.
    if (progress.offer === 'made' && !this.#deps.parts.lines.giveUp(id, request.runId)) {
      progress.isTyped = true;
      return false;
    }
    progress.offer = 'withdrawn';
    this.release();
    return true;
  }

  /** Stops following the command. */
  release(): void {
    this.#scope.end();
  }

  /** Ends the part if its command has not been typed yet, else interrupts the command. */
  async cancel(): Promise<void> {
    this.#isCancelled = true;
    if (this.progress.isTyped) await this.#interrupt();
    else this.#scope.end();
  }

  async #work(isResumed: boolean): Promise<void> {
    const request = { ...this.request, ask: { ...this.request.ask, signal: this.#scope.signal } };
    // A shell at rest gets the command without a look at the scope, which must not happen once the run is over.
    if (isResumed) return this.#resume(request);
    this.#scope.signal.throwIfAborted();
    await this.#run(request);
  }

  /** Follows what an earlier service process has typed; types it, if that process has not. */
  async #resume(request: RunRequest): Promise<void> {
    const { parts } = this.#deps;
    const { progress } = this;
    try {
      progress.isTyped = await wasTyped(parts, request);
    } catch (error) {
      // Nobody knows whether it was typed.
      progress.reason = 'restarted';
      throw error;
    }
    if (progress.isTyped) {
      // The rights of its client decided when it was typed: by now they may have ended, or not be known yet.
      const ask = { ...request.ask, refusal: undefined };
      return this.#run({ ...request, ask, isResumed: true });
    }
    const withdraw = () => {
      // A shell that was offered the line before must not take it after this run was reported as not typed.
      if (!progress.isTyped) progress.isTyped = !parts.lines.giveUp(request.id, request.runId);
    };
    if (this.#scope.leftMs === 0 || this.#isCancelled || request.isLeft) return withdraw();
    try {
      await this.#run({ ...request, isResumed: true });
    } catch (error) {
      if (!isGone(error)) withdraw();
      throw error;
    }
  }

  async #run(request: RunRequest): Promise<void> {
    const { parts } = this.#deps;
    try {
      await runCommand(parts, request, this.#scope, this.progress);
    } catch (error) {
      // The command was being typed when the run was cancelled.
      if (this.#isCancelled && this.progress.isTyped) await this.#interrupt();
      throw error;
    }
  }

  #tell(): void {
    for (const listener of this.#listeners) listener();
  }

  #interrupt(): Promise<void> {
    return interrupt(this.#deps.parts, this.request, this.progress, this.#deps.stopping);
  }
}
