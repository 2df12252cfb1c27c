import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import { WEBHOOK_STORE_RETRY_MS } from '../../contract/limits.js';
import type { Shelf } from '../../store/store.js';
import { type DeliveryRecord, recordIdsOf } from './kept-webhook.js';

export interface DeliveryStoreOptions {
  shelf: Shelf<DeliveryRecord>;
  logger: Pick<Logger, 'error'>;
}

/**
 * Writes places, attempts and retries. Changes gather while a write is in progress, and one transaction has all of them:
 * a place on disk never passes an event whose retry is not there. Changes that could not be
 * written stay, and are written again.
 */
export class DeliveryStore {
  readonly #options: DeliveryStoreOptions;
  readonly #closing = new AbortController();
  #changes = new Map<string, DeliveryRecord | null>();
  #cleared = new Set<string>();
  #tail: Promise<void> = Promise.resolve();
  #waiting: Promise<void> | undefined;

  constructor(options: DeliveryStoreOptions) {
    this.#options = options;
  }

  /** Returns the records whose ids begin with `prefix`, in the order of their ids. Only for the start: reads the disk. */
  read(prefix: string): [id: string, record: DeliveryRecord][] {
    const { shelf } = this.#options;
    return shelf.ids(prefix).flatMap((id) => {
      const record = shelf.get(id);
      return record ? [[id, record] as [string, DeliveryRecord]] : [];
    });
  }

  /** Sets a record; null removes it. It is written by the next {@link flush}. */
  set(id: string, record: DeliveryRecord | null): void {
    this.#changes.set(id, record);
  }

  /** Removes all records whose ids begin with `prefix`. */
  clear(prefix: string): void {
    for (const id of [...this.#changes.keys()]) if (id.startsWith(prefix)) this.#changes.delete(id);
    this.#cleared.add(prefix);
  }

  /**
   * Removes the records of webhooks that are not kept: a store that was rebuilt from its copy may have such records.
   * Only for the start.
   */
  clearUnless(isKept: (webhookId: string) => boolean): void {
    const ids = this.#options.shelf.ids('').map((id) => id.slice(0, id.indexOf('/')));
    for (const webhookId of new Set(ids)) if (!isKept(webhookId)) this.clear(recordIdsOf(webhookId).all);
  }

  /** Resolves once all changes so far are on disk, or a write has failed. Never rejects. */
  flush(): Promise<void> {
    if (this.#waiting) return this.#waiting;
    const written = this.#tail.then(() => this.#write());
    this.#waiting = written;
    this.#tail = written;
    return written;
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.flush();
  }

  async #write(): Promise<void> {
    this.#waiting = undefined;
    const changes = this.#changes;
    const cleared = this.#cleared;
    if (changes.size + cleared.size === 0) return;
    this.#changes = new Map();
    this.#cleared = new Set();
    const remove: string[] = [];
    const put = new Map<string, DeliveryRecord>();
    for (const [id, record] of changes) {
      if (record) put.set(id, record);
      else remove.push(id);
    }
    try {
      await this.#options.shelf.write({ clear: [...cleared], remove, put });
    } catch (err) {
      this.#options.logger.error({ err }, 'deliveries of webhooks could not be stored');
      this.#takeBack(changes, cleared);
      if (!this.#closing.signal.aborted) this.#writeLater();
    }
  }

  /** Restores changes that could not be written, beneath later changes. */
  #takeBack(changes: ReadonlyMap<string, DeliveryRecord | null>, cleared: ReadonlySet<string>): void {
    const later = this.#changes;
    const gone = [...this.#cleared];
    this.#changes = new Map([...changes].filter(([id]) => !gone.some((prefix) => id.startsWith(prefix))));
    for (const [id, record] of later) this.#changes.set(id, record);
    for (const prefix of cleared) this.#cleared.add(prefix);
  }

  #writeLater(): void {
    const again = delay(WEBHOOK_STORE_RETRY_MS, undefined, { ref: false, signal: this.#closing.signal });
    // The pause rejects only when the store closes, which writes what is left.
    again.then(() => this.flush()).catch(() => undefined);
  }
}
