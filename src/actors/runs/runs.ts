import { setMaxListeners } from 'node:events';
import type { Logger } from 'pino';
import { DomainError } from '../../contract/errors.js';
import {
  CANCEL_ANSWER_MS,
  DEFAULT_ANSWER_BYTES,
  DEFAULT_IDLE_MS,
  MAX_UNWRITTEN_RUNS,
} from '../../contract/limits.js';
import type { Principal } from '../../contract/principal.js';
import type { BatchRunAnswer, BatchRunBody, Run, RunHead, RunResult } from '../../contract/run.js';
import type { EndedRun } from '../../contract/service-event.js';
import type { InputOrigin } from '../../contract/terminal.js';
import { pause } from '../abortable.js';
import { wishIn } from '../input-gate/ask.js';
import type { KeyedMutex } from '../keyed-mutex.js';
import type { Terminals } from '../terminals.js';
import { Scope } from '../waits/scope.js';
import type { WaitLimit } from '../waits/wait-limit.js';
import { errorOf, type KeptPart, type KeptRun } from './kept-run.js';
import {
  commandOf,
  headOf,
  neededOf,
  newRun,
  newRunId,
  type SingleResult,
  type SingleRun,
} from './new-run.js';
import type { StreamParts } from './part-stream.js';
import { summaryOf } from './results.js';
import type { RunStore } from './run-store.js';
import { RunStream, streamedKept } from './run-stream.js';
import { type RunDeps, RunningRun } from './running-run.js';
import type { RunParts } from './typed.js';

export interface RunsOptions extends RunParts, Pick<RunDeps, 'mayType'> {
  terminals: RunParts['terminals'] & Pick<Terminals, 'close'>;
  screens: RunParts['screens'] & StreamParts['screens'];
  store: RunStore;
  /** Turns of the runs of each terminal, and of what must not come between their keys. */
  turns: KeyedMutex;
  /** Shared with everything else that waits. */
  places: WaitLimit;
  /** Receives the outcome of each command in each terminal. */
  onResult(result: RunResult): void;
  /** Called when a run begins, or is resumed. */
  onBegan(runId: string): void;
  /** Called when a run has ended in each terminal. */
  onEnded(run: EndedRun): void;
  /** Fires when the service stops. */
  stopping: AbortSignal;
  logger: Pick<Logger, 'error'>;
}

/**
 * Types commands into terminals and waits for them. The runs of a terminal take turns. A run continues without its
 * client, and the next service process resumes it.
 */
export class Runs {
  readonly newId = newRunId;
  readonly #options: RunsOptions;
  /** Runs in progress, and ended runs that could not be stored. */
  readonly #running = new Map<string, RunningRun>();

  constructor(options: RunsOptions) {
    this.#options = options;
    // One signal serves hundreds of terminals; without this, Node would warn that so many listeners may be a leak.
    setMaxListeners(0, options.stopping);
    for (const run of options.store.unfinished()) {
      this.#follow(new RunningRun(run, this.#deps(), options.store.parts(run.runId)));
    }
  }

  has(runId: string): boolean {
    return this.#running.has(runId) || this.#options.store.get(runId) !== undefined;
  }

  /**
   * Runs a command in one terminal, or joins the run of this id. Resolves once it has ended, or when the time is up.
   * Rejects with terminal-not-found, input-buffer-full, `unavailable`, shutting-down, and the reason of `client`.
   */
  async run(single: SingleRun, origin: InputOrigin, client: AbortSignal): Promise<SingleResult> {
    const { runId, terminalId, command, timeoutMs, closes, asked } = single;
    if (!this.has(runId)) {
      const run = newRun(runId, {
        command,
        timeoutMs,
        idleMs: DEFAULT_IDLE_MS,
        maxBytes: DEFAULT_ANSWER_BYTES,
      });
      this.#start({ terminalIds: [terminalId], origin, closes, ...run, ...asked });
    }
    const running = this.#running.get(runId);
    await running?.untilEnough(1, client);
    const part = running?.first ?? this.#options.store.parts(runId).get(0);
    // Without an outcome by now, the service is stopping.
    if (!part) throw new DomainError('shutting-down');
    if (part.fault) throw errorOf(part, part.fault);
    const { done, exitCode } = part.result;
    return { done, exitCode, screen: part.screen ?? '' };
  }

  /**
   * Runs a command in each of the terminals at once, or joins the run of this id. Resolves once as many as `waitFor`
   * says have ended, once all have ended or failed, or when the time is up; where the command has not been typed by
   * then, it is not typed later; a `waitFor` of 0 drops nothing. A terminal that fails is reported in its result.
   * Rejects with `unavailable` when too many wait, with shutting-down, and with the reason of `client`; the run continues
   * without its client.
   */
  async batch(
    body: BatchRunBody,
    { runId, terminalIds }: { runId: string; terminalIds: string[] },
    { origin, who }: { origin: InputOrigin; who: Principal },
    client: AbortSignal,
  ): Promise<BatchRunAnswer> {
    if (!this.has(runId)) {
      const run = newRun(runId, { ...body, command: commandOf(body) });
      this.#start({ terminalIds, origin, who, wish: wishIn(body), closes: false, ...run });
    }
    const running = this.#running.get(runId);
    if (body.waitFor !== 0) {
      await running?.untilEnough(neededOf(body, terminalIds.length), client);
      await running?.dropWaiting();
    }
    if (this.#options.stopping.aborted) throw new DomainError('shutting-down');
    const { results, summary } = await this.get(runId);
    return { runId, results, summary };
  }

  /** Returns the terminals of a run. Throws run-not-found. */
  terminalsOf(runId: string): readonly string[] {
    return (this.#running.get(runId)?.run ?? this.#options.store.find(runId)).terminalIds;
  }

  /** Returns the runs whose terminals `sees` accepts, newest first. */
  list(limit: number, sees: (terminalIds: readonly string[]) => boolean = () => true): RunHead[] {
    const { store } = this.#options;
    const unwritten = [...this.#running.keys()].reverse();
    const ids = [...new Set([...unwritten, ...store.ids()])];
    const runs = ids.flatMap((runId) => this.#running.get(runId)?.run ?? store.get(runId) ?? []);
    return runs
      .filter(({ terminalIds }) => sees(terminalIds))
      .sort((one, other) => other.begunAt - one.begunAt)
      .slice(0, limit)
      .map(headOf);
  }

  /**
   * Resolves with the state of a run once it is over, or after `timeoutMs`. Rejects with run-not-found, shutting-down,
   * and the reason of `client`.
   */
  async wait(runId: string, timeoutMs: number, client: AbortSignal): Promise<Run> {
    const running = this.#running.get(runId);
    if (running) {
      const leave = this.#options.places.take(1);
      const scope = new Scope(timeoutMs, client);
      try {
        await scope.race(running.over);
      } finally {
        scope.end();
        leave();
      }
    }
    if (this.#options.stopping.aborted) throw new DomainError('shutting-down');
    return this.get(runId);
  }

  /** Returns a run that an earlier service has brought to its end; undefined if it runs or is not kept. */
  ended(runId: string): EndedRun | undefined {
    const run = this.#running.has(runId) ? undefined : this.#options.store.get(runId);
    if (!run) return undefined;
    const state = run.state === 'running' ? 'finished' : run.state;
    return { ...headOf(run), state, summary: summaryOf(this.#options.store.results(run)) };
  }

  isRunning(runId: string): boolean {
    return this.#running.has(runId);
  }

  /** Returns the stream of a run, which must be closed. Throws run-not-found, and `unavailable` when too many wait. */
  stream(runId: string, client: AbortSignal): RunStream {
    const running = this.#running.get(runId);
    const run = running?.run ?? this.#options.store.find(runId);
    const onClose = running ? this.#options.places.take(1) : () => {};
    const streamed = running ?? streamedKept(run, this.#options.store.parts(runId));
    return new RunStream(streamed, { client, onClose, ...this.#options });
  }

  /** Returns the state of a run at this moment. Rejects with run-not-found. */
  async get(runId: string): Promise<Run> {
    const running = this.#running.get(runId);
    const run = running?.run ?? this.#options.store.find(runId);
    const results = running ? await running.results() : this.#options.store.results(run);
    return { ...headOf(running?.run ?? run), results, summary: summaryOf(results) };
  }

  /**
   * Cancels a run: types its command nowhere else, and interrupts it where it was typed. Resolves with the state of the
   * run, once all parts have ended or CANCEL_ANSWER_MS have passed. Rejects with run-not-found.
   */
  async cancel(runId: string): Promise<Run> {
    const running = this.#running.get(runId);
    if (running?.run.state === 'running') {
      const cancelled = running.cancel().catch((err: unknown) => {
        this.#options.logger.error({ err, run: runId }, 'a run could not be cancelled in every terminal');
      });
      const patience = pause(CANCEL_ANSWER_MS, this.#options.stopping).catch(() => undefined);
      await Promise.race([cancelled, patience]);
    }
    return this.get(runId);
  }

  /**
   * Does not wait for the disk. A request with an Idempotency-Key has written the run id down before, so a retry after
   * a crash types under the same id.
   */
  #start(run: KeptRun): void {
    const leave = this.#options.places.take(run.terminalIds.length);
    const isRunning = true;
    void this.#options.store.put(run, isRunning);
    this.#follow(new RunningRun(run, this.#deps(leave)));
  }

  #follow(running: RunningRun): void {
    const { runId } = running.run;
    this.#running.set(runId, running);
    this.#options.onBegan(runId);
    void running.over.then((isKept) => {
      if (isKept) this.#running.delete(runId);
      else this.#dropUnwritten();
    });
  }

  #dropUnwritten(): void {
    const ended = [...this.#running].filter(([, { run }]) => run.state !== 'running');
    for (const [runId] of ended.slice(0, Math.max(0, ended.length - MAX_UNWRITTEN_RUNS)))
      this.#running.delete(runId);
  }

  #deps(leave = () => {}): RunDeps {
    const { turns, terminals, store, onResult, onEnded, stopping, logger, mayType } = this.#options;
    const onEnd = ({ result }: KeptPart) => {
      leave();
      onResult(result);
    };
    const fixed = { turns, terminals, store, stopping, logger, mayType };
    return { parts: this.#options, ...fixed, onEnd, onOver: onEnded };
  }
}
