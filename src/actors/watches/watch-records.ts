import type { Logger } from 'pino';
import { DomainError } from '../../contract/errors.js';
import { MAX_TIMER_MS, WATCH_COUNTS_WRITE_MS } from '../../contract/limits.js';
import type { Collection } from '../../store/store.js';
import type { KeptWatch } from './kept-watch.js';

export interface WatchRecordsOptions {
  collection: Collection<KeptWatch>;
  /** Milliseconds on the clock of `hrMs`. */
  now: () => number;
  onExpired: (id: string) => void;
  logger: Pick<Logger, 'error'>;
}

/** The watches in memory and on disk. Counts are written now and then, all else at once. */
export class WatchRecords {
  readonly #options: WatchRecordsOptions;
  readonly #records: Map<string, KeptWatch>;
  /** Records that differ from the disk. */
  readonly #dirty = new Set<string>();
  readonly #writes = new Set<Promise<void>>();
  #writing: NodeJS.Timeout | undefined;
  #expiring: NodeJS.Timeout | undefined;

  constructor(options: WatchRecordsOptions) {
    this.#options = options;
    const now = options.now();
    this.#records = new Map(
      [...options.collection.all()].map(([id, record]) => {
        const { expiresAtHr, expiresInMs } = record;
        // The clock restarts with the machine; no watch may live longer than its `expiresInMs`.
        const latest = expiresInMs === null || expiresAtHr === null ? null : now + expiresInMs;
        return [id, { ...record, expiresAtHr: latest && Math.min(expiresAtHr ?? latest, latest) }];
      }),
    );
  }

  /** Ends the watches that have expired meanwhile, and from now on each watch when it expires. */
  start(): void {
    this.#expire();
  }

  ids(): string[] {
    return [...this.#records.keys()];
  }

  /** Ids of the watches that have not ended. */
  standingIds(): string[] {
    return [...this.#records].flatMap(([id, { ended }]) => (ended === null ? [id] : []));
  }

  /** Returns a watch that has not ended. */
  standing(id: string): KeptWatch | undefined {
    const record = this.#records.get(id);
    return record?.ended === null ? record : undefined;
  }

  /** Throws watch-not-found. */
  mustHave(id: string): KeptWatch {
    const record = this.#records.get(id);
    if (!record) throw new DomainError('watch-not-found');
    return record;
  }

  get(id: string): KeptWatch | undefined {
    return this.#records.get(id);
  }

  /** Makes room for another watch by removing the oldest that has ended; returns whether there is room. */
  makeRoom(most: number): boolean {
    if (this.#records.size < most) return true;
    const [oldest] = [...this.#records].find(([, { ended }]) => ended !== null) ?? [];
    if (oldest === undefined) return false;
    this.#keep(this.remove(oldest), oldest);
    return true;
  }

  /** Adds a watch. Resolves once it is on disk. */
  async add(id: string, record: KeptWatch): Promise<void> {
    this.#records.set(id, record);
    try {
      await this.#options.collection.put(id, record);
    } catch (error) {
      this.#records.delete(id);
      throw error;
    }
    this.#expire();
  }

  /** Removes a watch. Resolves once that is on disk. */
  async remove(id: string): Promise<void> {
    this.#records.delete(id);
    this.#dirty.delete(id);
    await this.#options.collection.remove(id);
  }

  /** Changes counts, which are written soon. */
  change(id: string, change: Partial<KeptWatch>): void {
    const record = this.#records.get(id);
    if (!record) return;
    this.#records.set(id, { ...record, ...change });
    this.#dirty.add(id);
    this.#writing ??= setTimeout(() => this.#writeAll(), WATCH_COUNTS_WRITE_MS).unref();
  }

  /** Makes a change that must not be lost, and writes it now. */
  changeNow(id: string, change: Partial<KeptWatch>): void {
    this.change(id, change);
    this.#write(id);
  }

  end(id: string, ended: NonNullable<KeptWatch['ended']>): void {
    this.changeNow(id, { ended, ...(ended === 'expired' && { inputs: [] }) });
  }

  /** Resolves once all is written, or has failed. */
  async stop(): Promise<void> {
    clearTimeout(this.#expiring);
    this.#writeAll();
    await Promise.all(this.#writes);
  }

  #writeAll(): void {
    clearTimeout(this.#writing);
    this.#writing = undefined;
    for (const id of [...this.#dirty]) this.#write(id);
  }

  #write(id: string): void {
    this.#dirty.delete(id);
    const record = this.#records.get(id);
    if (record) this.#keep(this.#options.collection.put(id, record), id);
  }

  #keep(write: Promise<void>, id: string): void {
    const kept = write
      .catch((err: unknown) => {
        this.#options.logger.error({ err, watch: id }, 'a watch could not be stored');
        // Written again with its next change, or at the end.
        if (this.#records.has(id)) this.#dirty.add(id);
      })
      .finally(() => this.#writes.delete(kept));
    this.#writes.add(kept);
  }

  #expire(): void {
    clearTimeout(this.#expiring);
    const { now, onExpired } = this.#options;
    for (const id of this.standingIds()) {
      const { expiresAtHr } = this.mustHave(id);
      if (expiresAtHr !== null && expiresAtHr <= now()) onExpired(id);
    }
    const due = this.standingIds().map((id) => this.mustHave(id).expiresAtHr ?? Number.POSITIVE_INFINITY);
    const next = due.reduce((first, each) => Math.min(first, each), Number.POSITIVE_INFINITY);
    if (next === Number.POSITIVE_INFINITY) return;
    const ms = Math.min(MAX_TIMER_MS, Math.max(1, Math.ceil(next - now())));
    this.#expiring = setTimeout(() => this.#expire(), ms).unref();
  }
}
