import { MAX_WEBHOOK_RETRIES, MAX_WEBHOOK_RETRY_BYTES } from '../../contract/limits.js';
import type { DeliveryStore } from './delivery-store.js';
import { type Retry, recordIdsOf } from './kept-webhook.js';

/** The deliveries of one webhook that wait for another attempt, in memory and on disk. */
export class Retries {
  readonly #ids: ReturnType<typeof recordIdsOf>;
  readonly #store: Pick<DeliveryStore, 'set'>;
  readonly #retries = new Map<string, Retry>();
  #bytes = 0;

  /**
   * Reads the deliveries that an earlier service has left.
   * @param now - the present on the clock of `hrMs`, which begins anew with the machine
   */
  constructor(webhookId: string, store: Pick<DeliveryStore, 'read' | 'set'>, now: number) {
    this.#ids = recordIdsOf(webhookId);
    this.#store = store;
    for (const [, record] of store.read(this.#ids.retries)) {
      if (record.kind !== 'retry') continue;
      this.#keep({ ...record, dueAt: Math.min(record.dueAt, now + record.delayMs) });
    }
  }

  get size(): number {
    return this.#retries.size;
  }

  /** Whether no further delivery may wait. */
  get isFull(): boolean {
    return this.size >= MAX_WEBHOOK_RETRIES || this.#bytes >= MAX_WEBHOOK_RETRY_BYTES;
  }

  /** The delivery that is due first. */
  get next(): Retry | undefined {
    let first: Retry | undefined;
    for (const retry of this.#retries.values()) if (!first || retry.dueAt < first.dueAt) first = retry;
    return first;
  }

  set(retry: Retry): void {
    this.#drop(retry.messageId);
    this.#keep(retry);
    this.#store.set(this.#ids.retry(retry.messageId), retry);
  }

  remove(messageId: string): void {
    if (this.#drop(messageId)) this.#store.set(this.#ids.retry(messageId), null);
  }

  clear(): void {
    for (const messageId of [...this.#retries.keys()]) this.remove(messageId);
  }

  #keep(retry: Retry): void {
    this.#retries.set(retry.messageId, retry);
    this.#bytes += Buffer.byteLength(retry.body);
  }

  #drop(messageId: string): boolean {
    const retry = this.#retries.get(messageId);
    if (retry) this.#bytes -= Buffer.byteLength(retry.body);
    return this.#retries.delete(messageId);
  }
}
