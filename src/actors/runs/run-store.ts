import type { Logger } from 'pino';
import { DomainError } from '../../contract/errors.js';
import { MAX_RUNS, MAX_RUNS_BYTES, RUN_KEPT_MS } from '../../contract/limits.js';
import type { RunResult } from '../../contract/run.js';
import type { Shelf } from '../../store/store.js';
import { hrMs } from '../../workers/clock.js';
import { type KeptPart, type KeptRun, partRecords, RUNS, type RunRecord } from './kept-run.js';

interface Known extends Pick<KeptRun, 'begunAt' | 'bytes'> {
  isRunning: boolean;
}

/**
 * Keeps runs and their outcomes on disk for RUN_KEPT_MS, within MAX_RUNS and MAX_RUNS_BYTES. Runs in progress are
 * always kept.
 */
export class RunStore {
  readonly #shelf: Shelf<RunRecord>;
  readonly #logger: Pick<Logger, 'error'>;
  /** Runs in progress that were begun or changed here; the disk may not have them yet. */
  readonly #inProgress = new Map<string, KeptRun>();
  /** Runs that are on disk, oldest first. */
  readonly #known = new Map<string, Known>();
  /** Bytes of all of them. */
  #bytes = 0;
  readonly #writes = new Set<Promise<unknown>>();
  #isClosed = false;
  #isFailing = false;

  constructor(shelf: Shelf<RunRecord>, logger: Pick<Logger, 'error'>) {
    this.#shelf = shelf;
    this.#logger = logger;
    const runs = shelf.ids(RUNS).flatMap((id) => this.get(id.slice(RUNS.length)) ?? []);
    for (const run of runs.sort((one, other) => one.begunAt - other.begunAt)) this.#know(run);
  }

  /** Returns the ids of all runs, newest first. */
  ids(): string[] {
    this.#trim();
    return [...this.#known.keys()].reverse();
  }

  has(runId: string): boolean {
    return this.#inProgress.has(runId) || this.#known.has(runId);
  }

  get(runId: string): KeptRun | undefined {
    const inProgress = this.#inProgress.get(runId);
    if (inProgress) return inProgress;
    const record = this.#shelf.get(RUNS + runId);
    if (record?.kind !== 'run') return undefined;
    const { kind: _, ...run } = record;
    return run;
  }

  /** Returns a run by any text. Throws run-not-found. */
  find(runId: string): KeptRun {
    const run = this.get(runId);
    if (!run) throw new DomainError('run-not-found');
    return run;
  }

  /** Returns the results of a run so far, in the order of its terminals. */
  results({ runId, terminalIds }: KeptRun): RunResult[] {
    const parts = this.parts(runId);
    return terminalIds.flatMap((_, place) => parts.get(place)?.result ?? []);
  }

  /** Returns the outcomes of a run so far, by the index of the terminal. */
  parts(runId: string): Map<number, KeptPart> {
    const prefix = partRecords(runId);
    const parts = new Map<number, KeptPart>();
    for (const id of this.#shelf.ids(prefix)) {
      const part = this.#shelf.get(id);
      if (part?.kind === 'part') parts.set(Number(id.slice(prefix.length)), part);
    }
    return parts;
  }

  /** Returns the runs that no service process has brought to an end, oldest first. */
  unfinished(): KeptRun[] {
    return [...this.#known].flatMap(([runId, { isRunning }]) => (isRunning ? (this.get(runId) ?? []) : []));
  }

  /** Stores a run, and resolves with whether it is on disk. `isRunning` is true until all of its parts are stored. */
  async put(run: KeptRun, isRunning: boolean): Promise<boolean> {
    if (isRunning) this.#inProgress.set(run.runId, run);
    const isKept = await this.#write(new Map([[RUNS + run.runId, { kind: 'run', ...run }]]));
    if (!isRunning) this.#inProgress.delete(run.runId);
    if (!isKept) return false;
    this.#know(run, isRunning);
    this.#trim();
    return true;
  }

  /**
   * Stores an outcome, and resolves with whether it is on disk. It is written together with the end of the run; without
   * it, the next service process follows the command again.
   */
  async putPart(runId: string, place: number, part: KeptPart): Promise<boolean> {
    const put = new Map([[partRecords(runId) + place, { kind: 'part' as const, ...part }]]);
    return this.#write(put, { joins: true });
  }

  /** Resolves once everything is written; nothing is written afterwards. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#shelf.hurry();
    await Promise.allSettled(this.#writes);
  }

  #know({ runId, begunAt, bytes, terminalIds }: KeptRun, isRunning?: boolean): void {
    // A time ahead of the clock means that the machine has restarted since, which resets the clock.
    const at = Math.min(begunAt, hrMs());
    const isUnfinished = isRunning ?? this.#shelf.ids(partRecords(runId)).length < terminalIds.length;
    this.#bytes += bytes - (this.#known.get(runId)?.bytes ?? 0);
    this.#known.set(runId, { begunAt: at, bytes, isRunning: isUnfinished });
  }

  #trim(): void {
    const before = hrMs() - RUN_KEPT_MS;
    const gone: string[] = [];
    for (const [runId, run] of this.#known) {
      if (this.#known.size <= MAX_RUNS && this.#bytes <= MAX_RUNS_BYTES && run.begunAt > before) break;
      if (run.isRunning) continue;
      gone.push(runId);
      this.#known.delete(runId);
      this.#bytes -= run.bytes;
    }
    if (gone.length === 0) return;
    const remove = gone.map((runId) => RUNS + runId);
    void this.#track(() => this.#shelf.write({ clear: gone.map(partRecords), remove, put: new Map() }));
  }

  #write(put: Map<string, RunRecord>, options = { joins: false }): Promise<boolean> {
    return this.#track(() => this.#shelf.write({ clear: [], remove: [], put }, options));
  }

  /** Performs a write, and resolves with whether it succeeded. Logs once for all failures in a row. */
  async #track(start: () => Promise<void>): Promise<boolean> {
    if (this.#isClosed) return false;
    const write = start();
    this.#writes.add(write);
    try {
      await write;
      this.#isFailing = false;
      return true;
    } catch (err) {
      if (!this.#isFailing) this.#logger.error({ err }, 'a run could not be stored');
      this.#isFailing = true;
      return false;
    } finally {
      this.#writes.delete(write);
    }
  }
}
