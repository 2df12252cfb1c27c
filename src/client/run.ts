import { DisconnectedError, errorOf, MissingOutputError, TimedOutError } from './errors.js';
import { linesOf } from './lines.js';
import { objectOf } from './refusal.js';
import type { CallOptions, Requests } from './requests.js';
import { segment } from './segment.js';
import type { BatchRunAnswer, OwnCommands, Run, RunOptions, RunResult, RunStreamEvent } from './types.js';

/** The command of a run, or a command for each terminal, and where it runs. */
export type RunTarget =
  | { command: string; terminalIds: readonly string[] }
  | { command: string; selector: string }
  | { runs: OwnCommands };

/** Milliseconds that one request waits for the end of a run; the next one follows. */
const POLL_MS = 60_000;

/** Commands that run in terminals. They continue when this client ends. */
export class RunHandle {
  readonly runId: string;
  readonly #requests: Requests;

  constructor(requests: Requests, runId: string) {
    this.#requests = requests;
    this.runId = runId;
  }

  /** Resolves with the state of the run at this moment. */
  get({ signal }: CallOptions = {}): Promise<Run> {
    return this.#requests.get(this.#path, { signal });
  }

  /** Resolves once the run is over. */
  async ended({ signal }: CallOptions = {}): Promise<Run> {
    for (;;) {
      const run = await this.#requests.get<Run>(this.#path, { query: { timeoutMs: POLL_MS }, signal });
      if (run.state !== 'running') return run;
    }
  }

  /** Types the commands in no further terminal, and sends Ctrl+C where they run. */
  cancel({ signal }: CallOptions = {}): Promise<Run> {
    return this.#requests.post(`${this.#path}/cancel`, { signal });
  }

  /**
   * Follows the output of all terminals as it comes, from the beginning of the commands to the end of the run. Lines
   * that the command draws over come again, behind a `redrawn`. Throws DisconnectedError if the service stops before that.
   */
  async *stream({ signal }: CallOptions = {}): AsyncGenerator<RunStreamEvent> {
    const pieces = this.#requests.pieces('GET', `${this.#path}/stream`, { signal });
    for await (const line of linesOf(pieces)) {
      const event = objectOf<RunStreamEvent>(line);
      yield event;
      if (event.type === 'end') return;
    }
    throw new DisconnectedError('The service has stopped following the run');
  }

  get #path(): string {
    return `/api/runs/${segment(this.runId)}`;
  }
}

/** Begins a run, and resolves once it has begun. */
export async function startRun(
  requests: Requests,
  target: RunTarget,
  { signal, key, ...options }: Omit<RunOptions, 'waitFor'> & CallOptions = {},
): Promise<RunHandle> {
  const body = { ...target, ...options, waitFor: 0 };
  const call = { body, isKeyed: true, signal, key };
  const { runId } = await requests.post<BatchRunAnswer>('/api/terminals/batch/run', call);
  return new RunHandle(requests, runId);
}

export type LineRunOptions = Omit<RunOptions, 'waitFor'> &
  CallOptions & {
    /**
     * Called between the lines where output is missing, since it came faster than it was read. The lines beside it may be
     * parts of lines. Without it, the loop throws MissingOutputError there.
     */
    onGap?: (() => void) | undefined;
  };

/**
 * A command in one terminal: awaited, it gives the result; iterated, the lines of its output as they come. Both can be
 * used, in any order. The loop throws MissingOutputError where lines are missing, unless `onGap` takes them. The result
 * rejects with the error of a command that was not typed or that its shell refused, and with TimedOutError if the command
 * has not ended in time. An exit code other than 0 is a result.
 */
export class TerminalRun implements PromiseLike<RunResult>, AsyncIterable<string> {
  readonly #begun: Promise<RunHandle>;
  readonly #options: LineRunOptions;
  #result: Promise<RunResult> | undefined;

  constructor(begun: Promise<RunHandle>, options: LineRunOptions) {
    this.#begun = begun;
    // The error reaches the caller that awaits or iterates.
    begun.catch(() => {});
    this.#options = options;
  }

  // biome-ignore lint/suspicious/noThenProperty: it is awaited for its result.
  then<Value = RunResult, Reason = never>(
    onResult?: ((result: RunResult) => Value | PromiseLike<Value>) | null,
    onError?: ((error: unknown) => Reason | PromiseLike<Reason>) | null,
  ): Promise<Value | Reason> {
    this.#result ??= this.#ended();
    return this.#result.then(onResult, onError);
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<string> {
    const run = await this.#begun;
    const { onGap } = this.#options;
    let rest = '';
    for await (const event of run.stream(this.#options)) {
      if (event.type === 'gap') {
        // The output after the gap is not the end of this line.
        if (rest) yield rest;
        rest = '';
        if (!onGap) throw new MissingOutputError();
        onGap();
      }
      // The service sends the unfinished line again, from its beginning.
      if (event.type === 'redrawn') rest = '';
      if (event.type !== 'output') continue;
      const lines = (rest + event.text).split('\n');
      rest = lines.pop() ?? '';
      yield* lines;
    }
    if (rest) yield rest;
    await this;
  }

  /** Sends Ctrl+C if the command runs; a command that still waits is not typed. */
  async cancel(): Promise<void> {
    await (await this.#begun).cancel();
  }

  async #ended(): Promise<RunResult> {
    const run = await this.#begun;
    const { results } = await run.ended(this.#options);
    const [result] = results;
    if (!result) throw new TimedOutError(`Run ${run.runId} has no result`);
    const { success, done, error, code } = result;
    if (!success) {
      const message = error ?? 'The command was not run';
      throw errorOf({ status: 200, code: code ?? 'command-failed', message, details: { ...result } });
    }
    if (!done) throw new TimedOutError(`The command has not ended in time, and goes on; run ${run.runId}`);
    return result;
  }
}
