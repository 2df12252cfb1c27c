import { randomBytes } from 'node:crypto';
import type { Logger } from 'pino';
import { DomainError } from '../../contract/errors.js';
import { textOfSelector } from '../../contract/labels.js';
import { MAX_WEBHOOKS } from '../../contract/limits.js';
import { keptTypesOf } from '../../contract/service-event.js';
import type {
  CreatedWebhook,
  Webhook,
  WebhookAttempt,
  WebhookBody,
  WebhookPatch,
} from '../../contract/webhook.js';
import type { Collection } from '../../store/store.js';
import type { EventFilter } from '../event-log/event-filter.js';
import type { EventLog } from '../event-log/event-log.js';
import { DeliveryStore, type DeliveryStoreOptions } from './delivery-store.js';
import type { KeptWebhook } from './kept-webhook.js';
import type { Poster } from './post.js';
import { hostOf, isRefused } from './refused-addresses.js';
import { newSecret } from './signature.js';
import { WebhookSender, type WebhookTimes } from './webhook-sender.js';

export interface WebhooksOptions {
  collection: Collection<KeptWebhook>;
  shelf: DeliveryStoreOptions['shelf'];
  log: Pick<EventLog, 'epoch' | 'last' | 'at' | 'whyGone' | 'onNews'>;
  post: Poster;
  times: WebhookTimes;
  userAgent: string;
  now: () => number;
  logger: Pick<Logger, 'error'>;
}

/** Attempts since the start of the service, by their outcome. */
export type WebhookFigures = Record<WebhookAttempt['outcome'], number>;

/** Programs that receive events as requests to their URLs. */
export class Webhooks {
  readonly figures: WebhookFigures = { delivered: 0, retrying: 0, dead: 0, gone: 0, 'test-failed': 0 };
  readonly #options: WebhooksOptions;
  readonly #kept: Collection<KeptWebhook>;
  readonly #store: DeliveryStore;
  readonly #senders = new Map<string, WebhookSender>();
  #onAgentsFollowed: (isFollowed: boolean) => void = () => undefined;

  constructor(options: WebhooksOptions) {
    this.#options = options;
    this.#kept = options.collection;
    this.#store = new DeliveryStore(options);
  }

  /**
   * Goes on where the earlier service has stopped.
   * @param onAgentsFollowed - called with whether a webhook wants the status of agents, each time that may have changed
   */
  start(onAgentsFollowed: (isFollowed: boolean) => void): void {
    this.#onAgentsFollowed = onAgentsFollowed;
    this.#store.clearUnless((id) => this.#kept.get(id) !== undefined);
    void this.#store.flush();
    for (const id of this.#kept.all().keys()) this.#begin(id);
    this.#options.log.onNews(() => {
      for (const sender of this.#senders.values()) sender.wake();
    });
    this.#tellFollowed();
  }

  /** Webhooks that are enabled, and deliveries that wait for another attempt. */
  get counts(): { enabled: number; retrying: number } {
    const enabled = [...this.#kept.all().values()].filter((webhook) => webhook.enabled).length;
    const retrying = [...this.#senders.values()].reduce((sum, { figures }) => sum + figures.retrying, 0);
    return { enabled, retrying };
  }

  list(): Webhook[] {
    // One that is being stored has no sender yet.
    return [...this.#senders.keys()].map((id) => this.get(id));
  }

  /** Throws webhook-not-found. */
  get(id: string): Webhook {
    const { secret: _, selector, ...webhook } = this.#mustHave(id);
    return { id, ...webhook, selector: selector && textOfSelector(selector), ...this.#sender(id).figures };
  }

  /** Stores a webhook, which gets the events from now on. Throws too-many-webhooks, webhook-address-refused. */
  async create(body: WebhookBody): Promise<CreatedWebhook> {
    const { url, types, terminals = null, selector = null, name = null } = body;
    refuseAddress(url);
    if (this.#kept.all().size >= MAX_WEBHOOKS) throw new DomainError('too-many-webhooks');
    const id = `wh_${randomBytes(8).toString('hex')}`;
    const secret = newSecret();
    const facts = { enabled: true, isGone: false, createdAt: Date.now() };
    await this.#kept.put(id, { name, url, secret, types, terminals, selector, ...facts });
    this.#begin(id);
    await this.#store.flush();
    this.#tellFollowed();
    return { ...this.get(id), secret };
  }

  /** Throws webhook-not-found, webhook-address-refused. */
  async change(id: string, { enabled, ...patch }: WebhookPatch): Promise<Webhook> {
    const before = this.#mustHave(id);
    if (patch.url !== undefined) refuseAddress(patch.url);
    const next = { ...before, ...withoutAbsent(patch) };
    if (enabled !== undefined) Object.assign(next, { enabled, isGone: next.isGone && !enabled });
    const sender = this.#sender(id);
    // In the same turn as the change, so that nothing of the time in which it was disabled is sent.
    if (next.enabled && !before.enabled) sender.skip();
    try {
      await this.#kept.put(id, next);
      this.#dropIfDisabled(id);
      await this.#store.flush();
    } finally {
      // Also if the change is refused: the webhook was held to it while it was being stored.
      sender.wake();
      this.#tellFollowed();
    }
    return this.get(id);
  }

  /** Throws webhook-not-found. */
  async remove(id: string): Promise<void> {
    this.#mustHave(id);
    const sender = this.#sender(id);
    this.#senders.delete(id);
    // Stopped in the turn in which the webhook goes: a sender asks for its webhook only until then.
    const [, removed] = await Promise.allSettled([sender.stop(), this.#kept.remove(id)]);
    if (removed.status === 'rejected') {
      // A sender begins with the records on disk.
      await this.#store.flush();
      this.#begin(id);
      throw removed.reason;
    }
    await sender.remove();
    this.#tellFollowed();
  }

  /** Posts a test message, once, also for a webhook that is not enabled. Throws webhook-not-found. */
  async test(id: string): Promise<WebhookAttempt> {
    this.#mustHave(id);
    return this.#sender(id).test();
  }

  /** Returns the latest attempts, newest first. Throws webhook-not-found. */
  attempts(id: string): WebhookAttempt[] {
    this.#mustHave(id);
    return this.#sender(id).attempts();
  }

  /** Aborts attempts in progress; the next service repeats them. */
  async stop(): Promise<void> {
    await Promise.all([...this.#senders.values()].map((sender) => sender.stop()));
    await this.#store.close();
  }

  #begin(id: string): void {
    const { log, post, times, userAgent, now, logger } = this.#options;
    const webhook = () => this.#mustHave(id);
    const sender = new WebhookSender({
      ...{ id, webhook, log, post, times, userAgent, now },
      store: this.#store,
      filter: () => filterOf(webhook()),
      onAttempt: ({ outcome }) => {
        this.figures[outcome] += 1;
      },
      onGone: () => this.#gone(id),
      onFault: (err) => logger.error({ err, webhook: id }, 'a webhook could not deliver events'),
    });
    this.#senders.set(id, sender);
    sender.wake();
  }

  /** Ends a webhook whose receiver is gone. If that cannot be stored, the webhook stays, and the next 410 ends it. */
  async #gone(id: string): Promise<void> {
    const { logger } = this.#options;
    const sender = this.#sender(id);
    try {
      await this.#kept.put(id, { ...this.#mustHave(id), enabled: false, isGone: true });
      this.#dropIfDisabled(id);
    } catch (err) {
      logger.error({ err, webhook: id }, 'the end of a webhook could not be stored');
      sender.wake();
    }
    this.#tellFollowed();
  }

  /** Drops what waits, once it is stored that the webhook is disabled; it may have been enabled again, or removed, since. */
  #dropIfDisabled(id: string): void {
    if (this.#kept.get(id)?.enabled === false) this.#senders.get(id)?.skip();
  }

  #tellFollowed(): void {
    const webhooks = [...this.#kept.all().values()].filter(({ enabled }) => enabled);
    this.#onAgentsFollowed(webhooks.some((webhook) => filterOf(webhook).types?.has('agent.status')));
  }

  #mustHave(id: string): KeptWebhook {
    const webhook = this.#kept.get(id);
    if (!webhook) throw new DomainError('webhook-not-found');
    return webhook;
  }

  #sender(id: string): WebhookSender {
    const sender = this.#senders.get(id);
    if (!sender) throw new DomainError('webhook-not-found');
    return sender;
  }
}

function filterOf({ types, terminals, selector }: KeptWebhook): EventFilter {
  return {
    types: new Set(types.flatMap(keptTypesOf)),
    ...(terminals && { terminals: new Set(terminals) }),
    ...(selector && { selector }),
  };
}

/** A name is looked up at each attempt; its address may change. */
function refuseAddress(url: string): void {
  if (isRefused(hostOf(new URL(url)))) throw new DomainError('webhook-address-refused');
}

function withoutAbsent<Patch extends object>(patch: Patch): Partial<Patch> {
  return Object.fromEntries(
    Object.entries(patch).filter(([, value]) => value !== undefined),
  ) as Partial<Patch>;
}
