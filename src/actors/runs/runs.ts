import { randomInt } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import type { Logger } from 'pino';
import { DomainError } from '../../contract/errors.js';
import {
  CANCEL_ANSWER_MS,
  DEFAULT_ANSWER_BYTES,
  DEFAULT_IDLE_MS,
  MAX_UNWRITTEN_RUNS,
} from '../../contract/limits.js';
import type { BatchRunAnswer, BatchRunBody, Run, RunHead, RunResult } from '../../contract/run.js';
import type { InputOrigin } from '../../contract/terminal.js';
import { hrMs } from '../../workers/clock.js';
import { pause } from '../abortable.js';
import { KeyedMutex } from '../keyed-mutex.js';
import type { Terminals } from '../terminals.js';
import type { WaitLimit } from '../waits/wait-limit.js';
import type { KeptPart, KeptRun } from './kept-run.js';
import { summaryOf } from './results.js';
import type { RunStore } from './run-store.js';
import { type RunDeps, RunningRun } from './running-run.js';
import type { RunParts } from './typed.js';

const RUN_ID = /^run_[0-9a-z]{12}$/;

export interface RunsOptions extends RunParts {
  terminals: RunParts['terminals'] & Pick<Terminals, 'close'>;
  store: RunStore;
  /** Shared with everything else that waits. */
  places: WaitLimit;
  /** Receives the outcome of each command in each terminal. */
  onResult(result: RunResult): void;
  /** Fires when the service stops. */
  stopping: AbortSignal;
  logger: Pick<Logger, 'error'>;
}

/** A command for one terminal. */
export interface SingleRun {
  terminalId: string;
  command: string;
  timeoutMs: number;
  /** Closes the terminal once the command has ended, or failed. */
  closes: boolean;
  runId: string;
}

/** State of a command in one terminal. */
export type SingleResult = Pick<RunResult, 'done' | 'exitCode'> & { screen: string };

const ALPHABET = '0123456789abcdefghijklmnopqrstuvwxyz';

/** Returns `run_` and 12 characters of [0-9a-z]. */
function newRunId(): string {
  return `run_${Array.from({ length: 12 }, () => ALPHABET[randomInt(ALPHABET.length)]).join('')}`;
}

/**
 * Types commands into terminals and waits for them. The runs of a terminal take turns. A run continues without its
 * client, and the next service process resumes it.
 */
export class Runs {
  readonly newId = newRunId;
  readonly #options: RunsOptions;
  readonly #turns = new KeyedMutex();
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
    const { runId, terminalId, command, timeoutMs, closes } = single;
    if (!this.has(runId)) {
      const run = newRun(runId, {
        command,
        timeoutMs,
        idleMs: DEFAULT_IDLE_MS,
        maxBytes: DEFAULT_ANSWER_BYTES,
      });
      this.#start({ ...run, terminalIds: [terminalId], origin, closes });
    }
    const running = this.#running.get(runId);
    await running?.untilEnough(1, client);
    const part = running?.first ?? this.#options.store.parts(runId).get(0);
    // Without an outcome by now, the service is stopping.
    if (!part) throw new DomainError('shutting-down');
    if (part.fault) throw new DomainError(part.fault.code, part.fault.message);
    const { done, exitCode } = part.result;
    return { done, exitCode, screen: part.screen ?? '' };
  }

  /**
   * Runs a command in each of the terminals at once, or joins the run of this id. Resolves once as many as `waitFor`
   * says have ended, once all have ended or failed, or when the time is up; where the command has not been typed by
   * then, it is not typed later. A terminal that fails is reported in its result. Rejects with `unavailable` when too
   * many wait, with shutting-down, and with the reason of `client`; the run continues without its client.
   */
  async batch(
    body: BatchRunBody,
    { runId, terminalIds }: { runId: string; terminalIds: string[] },
    origin: InputOrigin,
    client: AbortSignal,
  ): Promise<BatchRunAnswer> {
    if (!this.has(runId)) this.#start({ ...newRun(runId, body), terminalIds, origin, closes: false });
    const running = this.#running.get(runId);
    await running?.untilEnough(neededOf(body, terminalIds.length), client);
    await running?.dropWaiting();
    if (this.#options.stopping.aborted) throw new DomainError('shutting-down');
    const { results, summary } = await this.get(runId);
    return { runId, results, summary };
  }

  /** Returns the runs, newest first. */
  list(limit: number): RunHead[] {
    const { store } = this.#options;
    const unwritten = [...this.#running.keys()].reverse();
    const ids = [...new Set([...unwritten, ...store.ids()])];
    const runs = ids.flatMap((runId) => this.#running.get(runId)?.run ?? store.get(runId) ?? []);
    return runs
      .sort((one, other) => other.begunAt - one.begunAt)
      .slice(0, limit)
      .map(headOf);
  }

  /** Returns the state of a run at this moment. Rejects with run-not-found. */
  async get(runId: string): Promise<Run> {
    const running = this.#running.get(runId);
    // A longer text is not a valid key of the store, so only ids of the right form are looked up.
    const run = running?.run ?? (RUN_ID.test(runId) ? this.#options.store.get(runId) : undefined);
    if (!run) throw new DomainError('run-not-found');
    const results = running ? await running.results() : this.#keptResults(run);
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
    const { terminals, store, onResult, stopping, logger } = this.#options;
    const onEnd = ({ result }: KeptPart) => {
      leave();
      onResult(result);
    };
    return { parts: this.#options, turns: this.#turns, terminals, store, stopping, logger, onEnd };
  }

  #keptResults({ runId, terminalIds }: KeptRun): RunResult[] {
    const parts = this.#options.store.parts(runId);
    return terminalIds.flatMap((_, place) => parts.get(place)?.result ?? []);
  }
}

function newRun(
  runId: string,
  {
    command,
    timeoutMs,
    idleMs,
    maxBytes,
  }: Pick<BatchRunBody, 'command' | 'timeoutMs' | 'idleMs' | 'maxBytes'>,
): Omit<KeptRun, 'terminalIds' | 'origin' | 'closes'> {
  const begunAt = hrMs();
  const times = { createdAt: Date.now(), begunAt, endsAt: begunAt + timeoutMs };
  return { runId, state: 'running', ...times, command, idleMs, maxBytes, bytes: 0 };
}

function headOf({ runId, state, command, createdAt, terminalIds }: KeptRun): RunHead {
  return { runId, state, command, createdAt, terminals: terminalIds.length };
}

/**
 * Returns how many terminals must be done for an answer. With `all`, a failure in one terminal does not end the wait
 * for the others.
 */
function neededOf({ waitFor }: BatchRunBody, total: number): number {
  if (waitFor === 'all') return total;
  return waitFor === 'any' ? 1 : waitFor;
}
