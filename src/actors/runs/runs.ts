import { setMaxListeners } from 'node:events';
import type { Logger } from 'pino';
import { DomainError } from '../../contract/errors.js';
import { DEFAULT_IDLE_MS } from '../../contract/limits.js';
import type { BatchRunAnswer, BatchRunBody, RunResult } from '../../contract/run.js';
import type { InputOrigin } from '../../contract/terminal.js';
import { isGone } from '../screens.js';
import type { Places } from '../waits/places.js';
import { Scope } from '../waits/scope.js';
import { AnswerBytes, type PrintedText } from './answer-bytes.js';
import { durationOf, exitCodeOf, isRefused, newProgress, type Progress, printedBy } from './progress.js';
import { runCommand } from './run-command.js';
import { Turns } from './turns.js';
import type { RunParts, RunRequest } from './typed.js';

const NOT_TYPED = 'Not typed: the terminal was busy, or not ready, until the run was over';
const REFUSED = 'The shell did not run the command';
const INTERNAL = 'Internal error';

export interface RunsOptions extends RunParts {
  /** Shared with all else that waits. */
  places: Places;
  logger: Pick<Logger, 'error'>;
}

/** How a command stands in one terminal, once it has ended or is not waited for any more. */
interface Run {
  id: string;
  progress: Progress;
  /** Resolves then, with the fault that ended it, if it was one. */
  settled: Promise<{ fault?: unknown }>;
}

/** Commands that are typed into terminals and waited for. Those of one terminal take turns. */
export class Runs {
  readonly #options: RunsOptions;
  readonly #turns = new Turns();

  constructor(options: RunsOptions) {
    this.#options = options;
  }

  /**
   * Runs a command in one terminal. Resolves once it has ended, or at the end of the time. Rejects with
   * terminal-not-found, input-buffer-full, `unavailable`, and with the reason of `client`.
   */
  async run(
    id: string,
    { command, timeoutMs }: { command: string; timeoutMs: number },
    origin: InputOrigin,
    client: AbortSignal,
  ): Promise<Pick<RunResult, 'done' | 'exitCode'>> {
    return this.#options.places.hold(1, async () => {
      const scope = scopeOfMany(timeoutMs, client);
      const run = this.#start({ id, command, origin, idleMs: DEFAULT_IDLE_MS }, scope);
      await this.#untilEnough([run], 1, scope);
      const { fault } = await run.settled;
      if (fault !== undefined) throw fault;
      return { done: run.progress.isDone, exitCode: exitCodeOf(run.progress) };
    });
  }

  /**
   * Runs a command in each of the terminals at once. Resolves once so many as `waitFor` says have ended, once all have
   * ended or failed, or at the end of the time; those that have not ended go on. A terminal that fails is a result.
   * Rejects with `unavailable` when too many wait, and with the reason of `client`.
   */
  async batch(
    body: BatchRunBody,
    ids: string[],
    origin: InputOrigin,
    client: AbortSignal,
  ): Promise<BatchRunAnswer> {
    const { command, idleMs, maxBytes } = body;
    return this.#options.places.hold(ids.length, async () => {
      const scope = scopeOfMany(body.timeoutMs, client);
      const bytes = new AnswerBytes(this.#options.screens);
      const runs = ids.map((id) => this.#start({ id, command, origin, idleMs }, scope));
      const results = runs.map((run) => this.#resultOf(run, bytes, maxBytes, client));
      await this.#untilEnough(runs, neededOf(body, ids.length), scope);
      return summed(await Promise.all(results));
    });
  }

  #start(request: RunRequest, scope: Scope): Run {
    const progress = newProgress();
    const work = () => runCommand(this.#options, request, scope, progress);
    const settled = this.#turns.take(request.id, scope.signal, work).then(
      () => ({}),
      (fault: unknown) => {
        const isOver = scope.signal.aborted && fault === scope.signal.reason;
        return isOver ? {} : { fault };
      },
    );
    return { id: request.id, progress, settled };
  }

  /** Resolves once so many are done, all have settled, or the time is over; nothing is waited for any more then. */
  async #untilEnough(runs: readonly Run[], needed: number, scope: Scope): Promise<void> {
    let done = 0;
    const enough = new Promise<void>((resolve) => {
      const ends = runs.map(async ({ progress, settled }) => {
        await settled;
        if (progress.isDone && ++done >= needed) resolve();
      });
      void Promise.all(ends).then(() => resolve());
    });
    try {
      await scope.race(enough);
    } finally {
      scope.end();
    }
  }

  async #resultOf(
    { id, progress, settled }: Run,
    bytes: AnswerBytes,
    maxBytes: number,
    client: AbortSignal,
  ): Promise<RunResult> {
    let { fault } = await settled;
    let output: PrintedText = { text: '', truncated: false };
    // Nobody reads the answer of a client that has gone.
    if (!client.aborted) {
      try {
        output = await bytes.read(id, printedBy(progress), maxBytes, client);
      } catch (error) {
        // It was closed after the command had ended: that is known, what it printed is not.
        if (progress.isDone && isGone(error)) output = { text: '', truncated: true };
        else fault ??= error;
      }
    }
    const isTaken = progress.isTyped && !isRefused(progress);
    const isKnown = fault === undefined && isTaken;
    return {
      terminalId: id,
      success: isKnown,
      done: progress.isDone,
      exitCode: exitCodeOf(progress),
      durationMs: durationOf(progress),
      raw: output.text,
      truncated: output.truncated || progress.isCut(),
      integration: this.#integrationOf(id),
      waitedBy: progress.waitedBy,
      ...(isKnown ? {} : { error: this.#messageOf(id, progress, fault) }),
    };
  }

  #integrationOf(id: string): RunResult['integration'] {
    try {
      return this.#options.commands.standing(id).integration;
    } catch (error) {
      if (!isGone(error)) throw error;
      return 'none';
    }
  }

  #messageOf(id: string, progress: Progress, fault: unknown): string {
    if (fault === undefined) return isRefused(progress) ? REFUSED : NOT_TYPED;
    if (fault instanceof DomainError) return fault.message;
    this.#options.logger.error({ err: fault, terminal: id }, 'a command could not be run');
    return INTERNAL;
  }
}

/** One for hundreds of terminals: of so many listeners Node would warn, lest they be a leak. */
function scopeOfMany(timeoutMs: number, client: AbortSignal): Scope {
  const scope = new Scope(timeoutMs, client);
  setMaxListeners(0, scope.signal, client);
  return scope;
}

/** What `waitFor` comes to. Who waits for all wants the others also when one fails. */
function neededOf({ waitFor }: BatchRunBody, total: number): number {
  if (waitFor === 'all') return total;
  return waitFor === 'any' ? 1 : waitFor;
}

function summed(results: RunResult[]): BatchRunAnswer {
  const count = (holds: (result: RunResult) => boolean) => results.filter(holds).length;
  const total = results.length;
  const succeeded = count(({ success }) => success);
  const summary = {
    total,
    succeeded,
    failed: total - succeeded,
    done: count(({ done }) => done),
    zero: count(({ done, exitCode }) => done && exitCode === 0),
    nonZero: count(({ done, exitCode }) => done && exitCode !== null && exitCode !== 0),
  };
  return { results, summary };
}
