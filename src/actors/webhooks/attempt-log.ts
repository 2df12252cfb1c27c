import { MAX_WEBHOOK_ATTEMPTS } from '../../contract/limits.js';
import type { WebhookAttempt } from '../../contract/webhook.js';
import type { DeliveryStore } from './delivery-store.js';
import { recordIdsOf } from './kept-webhook.js';

/** The latest attempts of one webhook; the oldest go first. */
export class AttemptLog {
  readonly #ids: ReturnType<typeof recordIdsOf>;
  readonly #store: Pick<DeliveryStore, 'set'>;
  readonly #attempts = new Map<number, WebhookAttempt>();
  #last = 0;

  /** Reads the attempts that an earlier service has left. */
  constructor(webhookId: string, store: Pick<DeliveryStore, 'read' | 'set'>) {
    this.#ids = recordIdsOf(webhookId);
    this.#store = store;
    const { attempts } = this.#ids;
    for (const [id, record] of store.read(attempts)) {
      if (record.kind !== 'attempt') continue;
      this.#last = Number(id.slice(attempts.length));
      this.#attempts.set(this.#last, record.attempt);
    }
  }

  /** The attempts, newest first. */
  list(): WebhookAttempt[] {
    return [...this.#attempts.values()].reverse();
  }

  get last(): WebhookAttempt | undefined {
    return this.#attempts.get(this.#last);
  }

  add(attempt: WebhookAttempt): void {
    this.#last += 1;
    this.#attempts.set(this.#last, attempt);
    this.#store.set(this.#ids.attempt(this.#last), { kind: 'attempt', attempt });
    for (const seq of this.#attempts.keys()) {
      if (this.#attempts.size <= MAX_WEBHOOK_ATTEMPTS) break;
      this.#attempts.delete(seq);
      this.#store.set(this.#ids.attempt(seq), null);
    }
  }
}
