import { z } from 'zod';
import { Selector } from './labels.js';
import {
  MAX_WEBHOOK_ATTEMPTS,
  MAX_WEBHOOK_TERMINALS,
  MAX_WEBHOOK_TYPES,
  MAX_WEBHOOK_URL_CHARS,
} from './limits.js';
import { keptTypesOf } from './service-event.js';
import { label } from './strings.js';

/** Returns what is wrong with the URL of a webhook; undefined if nothing is. */
function faultOf(text: string): string | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:') return 'must be an http or https URL';
  if (url.username !== '' || url.password !== '')
    return 'must not contain a user or a password, which lists would show';
  return undefined;
}

const url = z
  .string()
  .max(MAX_WEBHOOK_URL_CHARS)
  .superRefine((text, context) => {
    const message = faultOf(text);
    if (message !== undefined) context.addIssue({ code: 'custom', message });
  })
  .describe('Where each event is posted to: `http` or `https`. Redirects are not followed');

const types = z
  .array(z.string())
  .min(1, 'must name at least one type')
  .max(MAX_WEBHOOK_TYPES)
  .refine(
    (patterns) => patterns.every((pattern) => keptTypesOf(pattern).length > 0),
    'names a type of events that does not exist, or that is not kept',
  )
  .describe(
    'Types of the events that are posted, as of `/api/events`; `agent.*` stands for all that begin with `agent.`. Types ' +
      'without an id (`terminal.title`, `terminal.bell`, `terminal.activity`) cannot be named',
  );

const terminals = z
  .array(z.string())
  .min(1, 'must name at least one terminal')
  .max(MAX_WEBHOOK_TERMINALS)
  .describe('Posts only events of these terminals');

const selector = Selector.describe(
  'Posts only events of terminals that had all of these labels at the time of the event, such as `role=test`',
);

/** Body of `POST /api/webhooks`. */
export const WebhookBody = z
  .object({
    url,
    types,
    terminals: terminals.optional(),
    selector: selector.optional(),
    name: label.optional().describe('For readers'),
  })
  .meta({ id: 'WebhookBody' });
export type WebhookBody = z.infer<typeof WebhookBody>;

/** Body of `PATCH /api/webhooks/:id`: fields that are absent stay as they are. */
export const WebhookPatch = z
  .object({
    url,
    types,
    terminals: terminals.nullable().describe('null: of all terminals'),
    selector: selector.nullable().describe('null: whatever the labels'),
    name: label.nullable(),
    enabled: z
      .boolean()
      .describe(
        'false: posts nothing, and drops what waits for another attempt. true: goes on with the events from now on',
      ),
  })
  .partial()
  .meta({ id: 'WebhookPatch' });
export type WebhookPatch = z.infer<typeof WebhookPatch>;

/** One attempt at a delivery. */
export const WebhookAttempt = z
  .object({
    messageId: z.string().describe('The header `webhook-id`: the same in each attempt at the same event'),
    type: z.string().describe('Type of the event'),
    terminalId: z.string().nullable(),
    attempt: z.int().describe('1 for the first attempt at this event'),
    at: z.int().describe('When it began'),
    ms: z.int().describe('How long it took'),
    status: z.int().nullable().describe('Status of the answer; null if there was none'),
    error: z.string().nullable().describe('Why there was no answer, or what is wrong with it'),
    outcome: z
      .enum(['delivered', 'retrying', 'dead', 'gone', 'test-failed'])
      .describe(
        '`delivered`: answered with 2xx. `retrying`: will be tried again. `dead`: was the last attempt. `gone`: answered ' +
          'with 410, which has ended the webhook. `test-failed`: a test, which is not repeated',
      ),
    retryAt: z.int().nullable().describe('When it is tried again; null if it is not'),
  })
  .meta({ id: 'WebhookAttempt' });
export type WebhookAttempt = z.infer<typeof WebhookAttempt>;

/** A webhook, without its secret. */
export const Webhook = z
  .object({
    id: z.string(),
    name: z.string().nullable(),
    url: z.string(),
    types: z.array(z.string()),
    terminals: z.array(z.string()).nullable(),
    selector: z.string().nullable(),
    enabled: z.boolean(),
    isGone: z.boolean().describe('Whether the receiver has ended it by answering 410'),
    createdAt: z.int(),
    behind: z.int().describe('Events of the log that it has not looked at yet'),
    retrying: z.int().describe('Deliveries that wait for another attempt'),
    lastAttempt: WebhookAttempt.nullable().describe('The latest attempt, also a test'),
  })
  .meta({ id: 'Webhook' });
export type Webhook = z.infer<typeof Webhook>;

/** Answer of `POST /api/webhooks`. */
export const CreatedWebhook = Webhook.extend({
  secret: z
    .string()
    .describe('Key of the signatures, `whsec_` and base64. It is shown in this answer and never again'),
}).meta({ id: 'CreatedWebhook' });
export type CreatedWebhook = z.infer<typeof CreatedWebhook>;

/** Answer of `GET /api/webhooks`. */
export const WebhookList = z.object({ webhooks: z.array(Webhook) });

/** Answer of `GET /api/webhooks/:id/deliveries`. */
export const WebhookDeliveries = z.object({
  attempts: z
    .array(WebhookAttempt)
    .describe(`Newest first, at most ${MAX_WEBHOOK_ATTEMPTS}; kept over restarts`),
});
export type WebhookDeliveries = z.infer<typeof WebhookDeliveries>;
