import type { Logger } from 'pino';
import type { EventLog } from '../actors/event-log/event-log.js';
import { DELIVERY_CODEC, WEBHOOK_CODEC } from '../actors/webhooks/kept-webhook.js';
import { post } from '../actors/webhooks/post.js';
import type { WebhookTimes } from '../actors/webhooks/webhook-sender.js';
import { Webhooks } from '../actors/webhooks/webhooks.js';
import { WEBHOOK_ATTEMPT_MS, WEBHOOK_RETRY_MS } from '../contract/limits.js';
import { VERSION } from '../contract/version.js';
import { ACTING, type Store } from '../store/store.js';
import { hrMs } from '../workers/clock.js';

export interface WebhookParts {
  store: Store;
  events: EventLog;
  logger: Logger;
  /** Times of deliveries; by default the times in the limits. */
  times?: WebhookTimes | undefined;
}

/** Creates the webhooks of the store. They send nothing before they are started. */
export function createWebhooks({ store, events, logger, times }: WebhookParts): Webhooks {
  return new Webhooks({
    collection: store.collection(ACTING.webhooks, WEBHOOK_CODEC),
    shelf: store.shelf('deliveries', DELIVERY_CODEC),
    log: events,
    ...{ post, now: hrMs, logger },
    times: times ?? { attemptMs: WEBHOOK_ATTEMPT_MS, retryMs: WEBHOOK_RETRY_MS },
    userAgent: `auto-terminal/${VERSION}`,
  });
}
