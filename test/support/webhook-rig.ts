import type { LoggedEvent } from '../../src/actors/event-log/logged-event.js';
import { DeliveryStore } from '../../src/actors/webhooks/delivery-store.js';
import type { DeliveryRecord, KeptWebhook } from '../../src/actors/webhooks/kept-webhook.js';
import type { PostResult } from '../../src/actors/webhooks/post.js';
import { WebhookSender } from '../../src/actors/webhooks/webhook-sender.js';
import type { EventPosition } from '../../src/contract/service-event.js';
import type { WebhookAttempt } from '../../src/contract/webhook.js';
import type { ShelfChanges } from '../../src/store/store.js';
import { MemoryShelf } from './shelf.js';

export const DELAYS = [5_000, 30_000, 300_000, 1_800_000, 7_200_000, 21_600_000];

/** A shelf that commits at once: its records are exactly the records that a killed service leaves. */
export class InstantShelf extends MemoryShelf<DeliveryRecord> {
  writes = 0;

  override async write({ clear, remove, put }: ShelfChanges<DeliveryRecord>): Promise<void> {
    this.writes++;
    if (this.isFull) throw new Error('no space left');
    for (const id of [...clear.flatMap((prefix) => this.ids(prefix)), ...remove]) this.records.delete(id);
    for (const [id, value] of put) this.records.set(id, JSON.stringify(value));
  }
}

/** A log that keeps only the latest events. */
export class FakeLog {
  epoch = 'epoch000';
  last = 0;
  kept = 10_000;
  readonly #events = new Map<number, LoggedEvent>();

  append(type: string, terminalId = 'term_1', labels = {}): number {
    const n = ++this.last;
    const json = JSON.stringify({ type, terminalId, data: { n } });
    this.#events.set(n, { type, terminalId, labels, json, bytes: 100 });
    this.#events.delete(n - this.kept);
    return n;
  }

  at(n: number): LoggedEvent | undefined {
    return this.#events.get(n);
  }

  whyGone({ epoch, n }: EventPosition): string | undefined {
    if (epoch !== this.epoch) return 'another epoch';
    if (n > this.last) return 'beyond the end';
    return n < this.last - this.#events.size ? 'overtaken' : undefined;
  }

  /** Acts like the log after damage to the store: nothing of the old epoch counts. */
  breakEpoch(epoch: string): void {
    this.epoch = epoch;
    this.last = 0;
    this.#events.clear();
  }
}

/** A message that a receiver got. */
export interface Got {
  url: string;
  id: string;
  body: string;
  at: number;
}

const WEBHOOK: KeptWebhook = {
  name: null,
  url: 'http://127.0.0.1:1/',
  secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
  types: ['terminal.exited'],
  terminals: null,
  selector: null,
  enabled: true,
  isGone: false,
  createdAt: 0,
};

export const answered = (status: number): PostResult => ({ status, error: null, ms: 1 });
export const SILENT: PostResult = { status: null, error: 'no answer within 5000 ms', ms: 5_000 };

/** Successive senders on the same records, with a receiver and a clock of the test. */
export class SenderRig {
  readonly log = new FakeLog();
  readonly got: Got[] = [];
  readonly attempts: WebhookAttempt[] = [];
  readonly faults: unknown[] = [];
  webhook: KeptWebhook = { ...WEBHOOK };
  /** Start of the rig on the clock of the test's fake timers. */
  readonly #begun = Date.now();
  shelf = new InstantShelf();
  answer: (got: Got) => PostResult | Promise<PostResult> = () => answered(200);
  sender: WebhookSender;

  constructor() {
    this.sender = this.#start();
  }

  get now(): number {
    return Date.now() - this.#begun;
  }

  /** Ends the sender as a kill does, and starts another on the records that are on disk at this moment. */
  crash(): void {
    const left = new InstantShelf();
    for (const [id, text] of this.shelf.records) left.records.set(id, text);
    void this.sender.stop();
    this.shelf = left;
    this.sender = this.#start();
    this.sender.wake();
  }

  /** Returns the ids of the messages in the order of their first attempts. */
  ids(): string[] {
    return [...new Set(this.got.map(({ id }) => id))];
  }

  #start(): WebhookSender {
    const { log, faults } = this;
    const logger = { error: (error: unknown) => void faults.push(error) };
    const store = new DeliveryStore({ shelf: this.shelf, logger });
    const sender = new WebhookSender({
      id: 'wh_1',
      webhook: () => this.webhook,
      filter: () => ({ types: new Set(this.webhook.types) }),
      ...{ log, userAgent: 'test' },
      store,
      post: async ({ url, headers, body }, { signal }) => {
        const got = { url, id: headers['webhook-id'] ?? '', body, at: this.now };
        this.got.push(got);
        const result = await this.answer(got);
        return signal.aborted ? { ...SILENT, error: 'stopped' } : result;
      },
      times: { attemptMs: 5_000, retryMs: DELAYS },
      now: () => this.now,
      onAttempt: (attempt) => void this.attempts.push(attempt),
      onGone: async () => {
        this.webhook = { ...this.webhook, enabled: false, isGone: true };
        this.sender.skip();
      },
      onFault: (error) => void faults.push(error),
    });
    // The request that creates a webhook is answered once the webhook's place in the log is on disk.
    void store.flush();
    return sender;
  }
}

/** Runs all that follows without time passing. */
export const settled = () => new Promise((resolve) => setImmediate(resolve));

/** Has the webhook hear that a terminal has exited; returns the id of the event. */
export function exited(rig: SenderRig): string {
  const n = rig.log.append('terminal.exited');
  rig.sender.wake();
  return `evt_${rig.log.epoch}-${n}`;
}

/** Returns the outcome and the number of each attempt so far. */
export const outcomes = (rig: SenderRig) => rig.attempts.map(({ outcome, attempt }) => [outcome, attempt]);
