import { z } from 'zod';
import type { Webhooks } from '../../actors/webhooks/webhooks.js';
import {
  CreatedWebhook,
  Webhook,
  WebhookAttempt,
  WebhookBody,
  WebhookDeliveries,
  WebhookList,
  WebhookPatch,
} from '../../contract/webhook.js';
import { needs } from '../access/needs.js';
import { failures } from '../failures.js';
import type { App } from '../validation.js';
import { IdParams } from './params.js';

export type WebhooksPort = Pick<
  Webhooks,
  'list' | 'get' | 'create' | 'change' | 'remove' | 'test' | 'attempts'
>;

const DESCRIPTION = `Each event of these types from now on is posted to \`url\`: as JSON, in the form of \`GET /api/events\`, never with output.
The request is signed as by Standard Webhooks: \`webhook-id\`, \`webhook-timestamp\`, and \`webhook-signature\` with \`v1,\` and the
HMAC-SHA256, by the secret, of id, timestamp and body, joined by dots. Libraries of Standard Webhooks verify it.

- Delivered is what is answered with 2xx within 5 s. All else is tried again after 5 s, 30 s, 5 min, 30 min, 2 h and 6 h; then
  the delivery is \`dead\`. 410 ends the webhook. Redirects are not followed.
- Each event is delivered at least once, also over restarts. A receiver recognizes a repetition by its \`webhook-id\`.
- First attempts come in the order of the events, one at a time. What is tried again comes later than its successors.
- A message of type \`resync\`, with a \`reason\`, is posted where events may be missing: read the present state.
- Link-local addresses, and those at which clouds serve credentials, are refused, also when a name has such an address.
- With \`agent.status\` among the types, agents are looked at all the time.`;

/** `/api/webhooks`: programs that are notified of events by requests to their URLs. */
export function registerWebhooks(app: App, webhooks: WebhooksPort): void {
  const tags = ['Webhooks'];

  app.get(
    '/api/webhooks',
    {
      config: needs('admin', 'whole'),
      schema: {
        summary: 'List the webhooks',
        description: 'Never shows a secret.',
        tags,
        response: { 200: WebhookList },
      },
    },
    async () => ({ webhooks: webhooks.list() }),
  );

  app.post(
    '/api/webhooks',
    {
      config: needs('admin', 'whole'),
      schema: {
        summary: 'Post events to a URL',
        description: DESCRIPTION,
        tags,
        body: WebhookBody,
        response: { 201: CreatedWebhook, ...failures('webhook-address-refused', 'too-many-webhooks') },
      },
    },
    async (request, reply) => reply.code(201).send(await webhooks.create(request.body)),
  );

  app.get(
    '/api/webhooks/:id',
    {
      config: needs('admin', 'whole'),
      schema: {
        summary: 'Get a webhook',
        description: 'Never shows the secret.',
        tags,
        params: IdParams,
        response: { 200: Webhook, ...failures('webhook-not-found') },
      },
    },
    async (request) => webhooks.get(request.params.id),
  );

  app.patch(
    '/api/webhooks/:id',
    {
      config: needs('admin', 'whole'),
      schema: {
        summary: 'Change, enable or disable a webhook',
        description: 'Fields that are absent stay. The secret cannot be changed.',
        tags,
        params: IdParams,
        body: WebhookPatch,
        response: { 200: Webhook, ...failures('webhook-address-refused', 'webhook-not-found') },
      },
    },
    async (request) => webhooks.change(request.params.id, request.body),
  );

  app.delete(
    '/api/webhooks/:id',
    {
      config: needs('admin', 'whole'),
      schema: {
        summary: 'Delete a webhook',
        description: 'What waits for another attempt is not sent any more.',
        tags,
        params: IdParams,
        response: {
          204: z.void().describe('The webhook was deleted'),
          ...failures('webhook-not-found'),
        },
      },
    },
    async (request, reply) => {
      await webhooks.remove(request.params.id);
      return reply.code(204).send();
    },
  );

  app.post(
    '/api/webhooks/:id/test',
    {
      config: needs('admin', 'whole'),
      schema: {
        summary: 'Post a test message',
        description:
          'Posts one message of type `webhook.test`, also if the webhook is disabled, and answers with how that went, ' +
          'after at most 5 s. It is not repeated.',
        tags,
        params: IdParams,
        response: { 200: WebhookAttempt, ...failures('webhook-not-found') },
      },
    },
    async (request) => webhooks.test(request.params.id),
  );

  app.get(
    '/api/webhooks/:id/deliveries',
    {
      config: needs('admin', 'whole'),
      schema: {
        summary: 'List the latest attempts at deliveries',
        description: 'Newest first, tests included.',
        tags,
        params: IdParams,
        response: { 200: WebhookDeliveries, ...failures('webhook-not-found') },
      },
    },
    async (request) => ({ attempts: webhooks.attempts(request.params.id) }),
  );
}
