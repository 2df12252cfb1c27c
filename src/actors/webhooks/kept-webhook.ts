import { z } from 'zod';
import { Labels } from '../../contract/labels.js';
import { WebhookAttempt } from '../../contract/webhook.js';
import type { Codec } from '../../store/store.js';

/** A webhook as it is stored. Bounds are checked when a request comes in. */
const KeptWebhook = z.object({
  name: z.string().nullable(),
  url: z.string(),
  secret: z.string(),
  types: z.array(z.string()),
  terminals: z.array(z.string()).nullable(),
  selector: Labels.nullable(),
  enabled: z.boolean(),
  isGone: z.boolean(),
  createdAt: z.int(),
});
export type KeptWebhook = z.infer<typeof KeptWebhook>;

export const WEBHOOK_CODEC: Codec<KeptWebhook> = { version: 1, schema: KeptWebhook };

/** The last event that a webhook has dealt with: delivered, left out, or kept for another attempt. */
const Place = z.object({ kind: z.literal('place'), epoch: z.string(), n: z.int() });

/** An attempt, in the delivery log. */
const KeptAttempt = z.object({ kind: z.literal('attempt'), attempt: WebhookAttempt });

/** A delivery that waits for another attempt. */
const Retry = z.object({
  kind: z.literal('retry'),
  messageId: z.string(),
  type: z.string(),
  terminalId: z.string().nullable(),
  body: z.string(),
  /** Attempts so far. */
  attempts: z.int(),
  /** When the next one is due, on the clock of `hrMs`. */
  dueAt: z.number(),
  /** The pause that was set: no clock makes it longer. */
  delayMs: z.number(),
});
export type Retry = z.infer<typeof Retry>;

const DeliveryRecord = z.discriminatedUnion('kind', [Place, KeptAttempt, Retry]);
export type DeliveryRecord = z.infer<typeof DeliveryRecord>;

export const DELIVERY_CODEC: Codec<DeliveryRecord> = { version: 1, schema: DeliveryRecord };

const NUMBER_DIGITS = 12;

/** Ids of the records of one webhook; each kind has a prefix of its own. */
export function recordIdsOf(webhookId: string) {
  return {
    all: `${webhookId}/`,
    place: `${webhookId}/place`,
    attempts: `${webhookId}/attempt/`,
    attempt: (seq: number) => `${webhookId}/attempt/${String(seq).padStart(NUMBER_DIGITS, '0')}`,
    retries: `${webhookId}/retry/`,
    retry: (messageId: string) => `${webhookId}/retry/${messageId}`,
  };
}
