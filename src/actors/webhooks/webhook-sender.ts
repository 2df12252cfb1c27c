import { randomUUID } from 'node:crypto';
import type { WebhookAttempt } from '../../contract/webhook.js';
import type { EventFilter } from '../event-log/event-filter.js';
import { AttemptLog } from './attempt-log.js';
import type { DeliveryStore } from './delivery-store.js';
import { EventReader, type EventReaderOptions, type Message } from './event-reader.js';
import { type KeptWebhook, recordIdsOf } from './kept-webhook.js';
import type { Poster } from './post.js';
import { Retries } from './retries.js';
import { type AfterAttempt, afterAttempt, faultOf, isSuccess, type Meanwhile } from './retry-plan.js';
import { signatureHeaders } from './signature.js';

/** Times of deliveries; tests have shorter ones. */
export interface WebhookTimes {
  attemptMs: number;
  retryMs: readonly number[];
}

export interface SenderOptions {
  id: string;
  /** Returns the webhook as it is now. */
  webhook: () => KeptWebhook;
  filter: () => EventFilter;
  log: EventReaderOptions['log'];
  store: DeliveryStore;
  post: Poster;
  times: WebhookTimes;
  userAgent: string;
  /** Milliseconds on the clock of `hrMs`. */
  now: () => number;
  onAttempt: (attempt: WebhookAttempt) => void;
  /**
   * Called when the receiver has answered that it is gone. Disables the webhook in the same turn, and resolves once what
   * waits is dropped, or the end of the webhook could not be stored.
   */
  onGone: () => Promise<void>;
  onFault: (error: unknown) => void;
}

/**
 * Delivers events to one receiver: first attempts in the order of the events, one at a time, and beside them deliveries
 * that wait for another attempt, also one at a time. A receiver that hangs holds back nothing but its own events.
 */
export class WebhookSender {
  readonly #options: SenderOptions;
  readonly #reader: EventReader;
  readonly #retries: Retries;
  readonly #attempts: AttemptLog;
  readonly #stopping = new AbortController();
  #timer: NodeJS.Timeout | undefined;
  /** There may be events that {@link #read} has not looked at. */
  #isNews = false;
  /** How often what waited was dropped. */
  #skips = 0;
  #reading: Promise<void> | undefined;
  #retrying: Promise<void> | undefined;

  constructor(options: SenderOptions) {
    this.#options = options;
    const { id, log, store, now } = options;
    this.#reader = new EventReader({ webhookId: id, log, store });
    this.#retries = new Retries(id, store, now());
    this.#attempts = new AttemptLog(id, store);
  }

  /** Attempts, newest first. */
  attempts(): WebhookAttempt[] {
    return this.#attempts.list();
  }

  get figures() {
    const isIdle = !this.#isActive;
    return {
      behind: isIdle ? 0 : this.#reader.behind,
      retrying: this.#retries.size,
      lastAttempt: this.#attempts.last ?? null,
    };
  }

  /** Sends all deliveries that are due; call when there are events, and after each change of the webhook. */
  wake(): void {
    const { onFault } = this.#options;
    this.#isNews = true;
    this.#reading ??= this.#read()
      .catch(onFault)
      .finally(() => {
        this.#reading = undefined;
        if (this.#isNews) this.wake();
      });
    this.#retrying ??= this.#retry()
      .catch(onFault)
      .finally(() => {
        this.#retrying = undefined;
        this.#arm();
      });
  }

  /** Drops deliveries that wait, and skips the events up to now. */
  skip(): void {
    this.#skips++;
    clearTimeout(this.#timer);
    this.#retries.clear();
    this.#reader.skip();
  }

  /** Posts a message of type `webhook.test`, once. Resolves with how that went. */
  async test(): Promise<WebhookAttempt> {
    const { id: webhookId } = this.#options;
    const data = { webhookId };
    const body = JSON.stringify({ type: 'webhook.test', data, timestamp: new Date().toISOString() });
    const message = { messageId: `test_${randomUUID()}`, type: 'webhook.test', terminalId: null, body };
    const { attempt, status } = await this.#post(message, 1);
    const done = {
      ...attempt,
      outcome: isSuccess(status) ? ('delivered' as const) : ('test-failed' as const),
    };
    await this.#note({ ...done, retryAt: null });
    return { ...done, retryAt: null };
  }

  /** Aborts attempts in progress: they count as not delivered, and the next service repeats them. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    clearTimeout(this.#timer);
    await Promise.all([this.#reading, this.#retrying]);
  }

  /** Ends all deliveries for good, and removes their records from the disk. */
  async remove(): Promise<void> {
    await this.stop();
    this.#options.store.clear(recordIdsOf(this.#options.id).all);
    await this.#options.store.flush();
  }

  get #isStopped(): boolean {
    return this.#stopping.signal.aborted;
  }

  get #isActive(): boolean {
    return !this.#isStopped && this.#options.webhook().enabled;
  }

  async #read(): Promise<void> {
    this.#isNews = false;
    while (this.#isActive && !this.#retries.isFull) {
      const message = this.#reader.next(this.#options.filter());
      if (!message) break;
      await this.#deliver(message, 0, () => this.#reader.pass(message.place));
    }
    if (!this.#isStopped) await this.#options.store.flush();
  }

  async #retry(): Promise<void> {
    const { now } = this.#options;
    for (;;) {
      const retry = this.#retries.next;
      if (!this.#isActive || !retry || retry.dueAt > now()) return;
      await this.#deliver(retry, retry.attempts, () => this.#retries.remove(retry.messageId));
      this.wake();
    }
  }

  /** Wakes when the next delivery is due. */
  #arm(): void {
    clearTimeout(this.#timer);
    const { next } = this.#retries;
    if (!next || !this.#isActive) return;
    const ms = Math.max(0, Math.ceil(next.dueAt - this.#options.now()));
    this.#timer = setTimeout(() => this.wake(), ms).unref();
  }

  /**
   * Makes one attempt. Its consequences and `settle` go to disk together: a service that dies before that repeats the
   * attempt.
   */
  async #deliver(message: Omit<Message, 'place'>, before: number, settle: () => void): Promise<void> {
    const { times, webhook, onGone } = this.#options;
    const { url } = webhook();
    const skips = this.#skips;
    const { attempt, status } = await this.#post(message, before + 1);
    if (this.#isStopped) return;
    const meanwhile = this.#sinceAttempt(url, skips);
    const after = afterAttempt({ status, meanwhile }, before + 1, times.retryMs);
    // A dropped delivery has nothing left to settle, and the place is past this event.
    if (meanwhile !== 'dropped' && after.outcome !== 'again') settle();
    if (after.outcome === 'retrying') this.#keep(message, before + 1, after.delayMs);
    const ended = after.outcome === 'gone' ? onGone() : undefined;
    await this.#note({ ...attempt, ...notedOf(after) });
    await ended;
  }

  /** Returns what has become of the webhook since an attempt began at this URL, after so many skips. */
  #sinceAttempt(url: string, skips: number): Meanwhile {
    const { webhook } = this.#options;
    if (this.#skips !== skips) return 'dropped';
    return webhook().enabled && webhook().url === url ? 'same' : 'changed';
  }

  /** Keeps a delivery for another attempt. */
  #keep(message: Omit<Message, 'place'>, attempts: number, delayMs: number): void {
    const { messageId, type, terminalId, body } = message;
    const waits = { messageId, type, terminalId, body, attempts };
    this.#retries.set({ kind: 'retry', ...waits, dueAt: this.#options.now() + delayMs, delayMs });
    this.#arm();
  }

  async #post(message: Omit<Message, 'place'>, attempt: number) {
    const { post, times, webhook, userAgent } = this.#options;
    const { url, secret } = webhook();
    const { messageId, type, terminalId, body } = message;
    const at = Date.now();
    const signed = signatureHeaders(secret, { id: messageId, body }, Math.floor(at / 1_000));
    const headers = { 'user-agent': userAgent, ...signed };
    const { signal } = this.#stopping;
    const result = await post({ url, headers, body }, { timeoutMs: times.attemptMs, signal });
    const { status, ms } = result;
    return {
      attempt: { messageId, type, terminalId, attempt, at, ms, status, error: faultOf(result) },
      status,
    };
  }

  async #note(attempt: WebhookAttempt): Promise<void> {
    if (this.#isStopped) return;
    this.#attempts.add(attempt);
    this.#options.onAttempt(attempt);
    await this.#options.store.flush();
  }
}

/** Returns what the delivery log says of a delivery after an attempt. */
function notedOf(after: AfterAttempt): Pick<WebhookAttempt, 'outcome' | 'retryAt'> {
  if (after.outcome === 'again') return { outcome: 'retrying', retryAt: Date.now() };
  if (after.outcome !== 'retrying') return { outcome: after.outcome, retryAt: null };
  return { outcome: 'retrying', retryAt: Date.now() + Math.round(after.delayMs) };
}
