import type { Logger } from 'pino';
import { DomainError } from '../../contract/errors.js';
import { MAX_ANSWERS_BYTES } from '../../contract/limits.js';
import type { Principal } from '../../contract/principal.js';
import type { RunResult } from '../../contract/run.js';
import type { EndedRun } from '../../contract/service-event.js';
import { hrMs } from '../../workers/clock.js';
import { unlessAborted } from '../abortable.js';
import { screenTextOrNone } from '../screen-text.js';
import type { Terminals } from '../terminals.js';
import { AnswerBytes } from './answer-bytes.js';
import type { KeptPart, KeptRun } from './kept-run.js';
import { headOf } from './new-run.js';
import { Part, type PartDeps, type Settled } from './part.js';
import { printedByNow } from './printed-by-now.js';
import { asOfNow } from './progress.js';
import { type PartState, resultOf, summaryOf } from './results.js';
import type { RunStore } from './run-store.js';

export interface RunDeps extends PartDeps {
  terminals: Pick<Terminals, 'close'>;
  store: Pick<RunStore, 'put' | 'putPart'>;
  /** Returns whether the client that began a run may still type into a terminal. */
  mayType?: ((who: Principal, terminalId: string) => boolean) | undefined;
  /** Called once for each terminal, with the outcome. */
  onEnd(part: KeptPart): void;
  /** Called when the run has ended in every terminal. */
  onOver(run: EndedRun): void;
  logger: Pick<Logger, 'error'>;
}

/** A run in progress. It continues after its client has left, up to its time limit. */
export class RunningRun {
  /** Resolves with whether all of it is on disk, once all parts have ended or the service stops. */
  readonly over: Promise<boolean>;
  readonly #deps: RunDeps;
  readonly #run: KeptRun;
  readonly #parts: Part[];
  /** One promise for each part; resolves when the part has ended. */
  readonly #ends: Promise<void>[];
  readonly #bytes: AnswerBytes;
  readonly #written: Promise<boolean>[] = [];

  /** @param earlier - outcomes from an earlier service process, by terminal index; undefined for a new run */
  constructor(run: KeptRun, deps: RunDeps, earlier?: ReadonlyMap<number, KeptPart>) {
    this.#run = run;
    this.#deps = deps;
    const { runId, origin, idleMs, who, wish } = run;
    const askFor = (id: string) => {
      const mayType = () => who === undefined || (deps.mayType?.(who, id) ?? true);
      const refusal = () => (mayType() ? undefined : new DomainError('unauthorized'));
      return { who: who && (() => who), refusal, ...wish };
    };
    // The clients of an earlier service process have lost their connections.
    const isLeft = earlier !== undefined && run.whenLeft === 'drop';
    const leftMs = earlier ? Math.max(0, Math.min(run.endsAt - hrMs(), run.endsAt - run.begunAt)) : undefined;
    const ms = leftMs ?? run.endsAt - run.begunAt;
    this.#parts = run.terminalIds.map((id, place) => {
      const command = commandAt(run, place);
      return new Part({ runId, id, command, origin, idleMs, isLeft, ask: askFor(id) }, ms, deps);
    });
    for (const [place, kept] of earlier ?? []) {
      const part = this.#parts[place];
      part?.keep(kept);
    }
    this.#bytes = new AnswerBytes(deps.parts.screens, MAX_ANSWERS_BYTES - this.#keptBytes());
    this.#ends = this.#parts.map((part, place) => this.#follow(part, place, earlier !== undefined));
    this.over = Promise.all(this.#ends).then(() => this.#end());
  }

  /** The record of the run as of this moment. */
  get run(): Readonly<KeptRun> {
    return this.#run;
  }

  /** The outcome in its first terminal, once the run has ended there. */
  get first(): KeptPart | undefined {
    return this.#parts[0]?.kept;
  }

  /**
   * Resolves once the command is done in `needed` terminals, or all parts have ended; rejects with the reason of
   * `client`. A run that is dropped where it was not typed when its client has left resolves then: its key must be kept,
   * since a retry would run the command again where it was typed.
   */
  async untilEnough(needed: number, client: AbortSignal): Promise<void> {
    let done = 0;
    const enough = new Promise<void>((resolve) => {
      const ends = this.#ends.map(async (end, place) => {
        await end;
        if (this.#parts[place]?.kept?.result.done && ++done >= needed) resolve();
      });
      void Promise.all(ends).then(() => resolve());
    });
    try {
      await unlessAborted(enough, client);
    } catch (error) {
      const isLeft = error instanceof DomainError && error.code === 'client-gone';
      if (!isLeft || this.#run.whenLeft !== 'drop') throw error;
      await this.dropWaiting();
    }
  }

  /** Drops the parts whose command has not been typed yet. The others are still followed. */
  async dropWaiting(): Promise<void> {
    await Promise.all(
      this.#parts.map(async (part, place) => {
        if (!part.kept && (await part.drop())) await this.#ends[place];
      }),
    );
  }

  /** Types the command into no further terminal, and interrupts it where it was typed. Resolves once all parts have ended. */
  async cancel(): Promise<void> {
    this.#run.state = 'cancelled';
    const isRunning = true;
    await this.#deps.store.put(this.#run, isRunning);
    const cancelled = this.#parts.filter(({ kept }) => !kept).map((part) => part.cancel());
    await Promise.all([...cancelled, ...this.#ends]);
  }

  /** Its terminals, in the order of the request. */
  get parts(): readonly Part[] {
    return this.#parts;
  }

  /** Returns the results so far. */
  results(): Promise<RunResult[]> {
    const bytes = new AnswerBytes(this.#deps.parts.screens, MAX_ANSWERS_BYTES - this.#keptBytes());
    return Promise.all(
      this.#parts.map(async (part) => part.kept?.result ?? (await this.#resultOf(part, bytes)).result),
    );
  }

  async #follow(part: Part, place: number, isResumed: boolean): Promise<void> {
    if (part.kept) {
      part.release();
      return;
    }
    const { runId, closes, origin, state } = this.#run;
    if (state === 'cancelled') void part.cancel();
    const settled = await part.through(isResumed);
    // The next service process resumes this part.
    if (this.#deps.stopping.aborted) return;
    part.end(await printedByNow(this.#deps.parts, part, this.#deps.stopping));
    const kept = await this.#resultOf(part, this.#bytes, settled);
    const { id } = part;
    const screen = origin === 'fleet' ? await this.#screenOf(id) : null;
    if (closes && (part.progress.isDone || settled.fault !== undefined)) await this.#close(id);
    const outcome = { screen, ...kept };
    part.keep(outcome);
    this.#written.push(this.#deps.store.putPart(runId, place, outcome));
    this.#deps.onEnd(outcome);
  }

  /** Returns the screen for an answer; null if no shard answers, since the outcome is known all the same. */
  async #screenOf(id: string): Promise<string | null> {
    try {
      return await screenTextOrNone(this.#deps.parts.screens, id);
    } catch (error) {
      if (!(error instanceof DomainError) || error.code !== 'unavailable') throw error;
      return null;
    }
  }

  /** Closes a terminal, unless somebody has closed it meanwhile. The run has its outcome, so a failure is only logged. */
  async #close(id: string): Promise<void> {
    try {
      await this.#deps.terminals.close(id);
    } catch (err) {
      if (err instanceof DomainError && err.code === 'terminal-not-found') return;
      this.#deps.logger.error({ err, terminal: id }, 'the terminal of an ended run could not be closed');
    }
  }

  async #end(): Promise<boolean> {
    if (this.#deps.stopping.aborted) return false;
    if (this.#run.state === 'running') this.#run.state = 'finished';
    this.#run.bytes = this.#keptBytes();
    const isRunning = false;
    this.#written.push(this.#deps.store.put(this.#run, isRunning));
    // In the same turn, so that the event is committed together with the run.
    this.#deps.onOver({
      ...headOf(this.#run),
      summary: summaryOf(this.#parts.flatMap(({ kept }) => kept?.result ?? [])),
    });
    return (await Promise.all(this.#written)).every((isWritten) => isWritten);
  }

  async #resultOf(
    part: Part,
    bytes: AnswerBytes,
    settled?: Settled,
  ): Promise<Pick<KeptPart, 'result' | 'fault'>> {
    const { parts, logger, stopping } = this.#deps;
    const { command, maxBytes, state } = this.#run;
    const { request } = part;
    const printed = settled ? part.printed : await printedByNow(parts, part, stopping);
    // The command may end while its output is read: the answer must not report an end beside half of the output.
    const progress = settled ? part.progress : asOfNow(part.progress);
    const partState: PartState = state === 'cancelled' ? 'cancelled' : settled ? 'over' : 'under way';
    const { result, fault } = await resultOf(
      { commands: parts.commands, logger },
      { id: request.id, progress, printed },
      { partState, fault: settled?.fault },
      { bytes, maxBytes, signal: stopping },
    );
    return { result: typeof command === 'string' ? result : { ...result, command: request.command }, fault };
  }

  #keptBytes(): number {
    return this.#parts.reduce((sum, { kept }) => sum + Buffer.byteLength(kept?.result.raw ?? ''), 0);
  }
}

/** Returns the command for the terminal at this place of `terminalIds`. */
function commandAt({ command, terminalIds }: KeptRun, place: number): string {
  const own = typeof command === 'string' ? command : command[place];
  if (own === undefined) throw new Error(`no command for terminal ${place} of ${terminalIds.length}`);
  return own;
}
