import type { CallOptions, Requests } from './requests.js';
import { segment } from './segment.js';
import type { CreatedWebhook, WebhookAttempt, WebhookChange, WebhookInfo, WebhookOptions } from './types.js';

/** URLs to which the service posts events. */
export class Webhooks {
  readonly #requests: Requests;

  constructor(requests: Requests) {
    this.#requests = requests;
  }

  async list(call: CallOptions = {}): Promise<WebhookInfo[]> {
    return (await this.#requests.get<{ webhooks: WebhookInfo[] }>('/api/webhooks', call)).webhooks;
  }

  get(id: string, call: CallOptions = {}): Promise<WebhookInfo> {
    return this.#requests.get(pathOf(id), call);
  }

  /** Resolves with the webhook and its secret, which is shown this once. */
  create(webhook: WebhookOptions, call: CallOptions = {}): Promise<CreatedWebhook> {
    return this.#requests.post('/api/webhooks', { ...call, body: webhook });
  }

  /** Fields that are absent stay as they are. */
  change(id: string, change: WebhookChange, call: CallOptions = {}): Promise<WebhookInfo> {
    return this.#requests.json('PATCH', pathOf(id), { ...call, body: change });
  }

  async delete(id: string, call: CallOptions = {}): Promise<void> {
    await this.#requests.json('DELETE', pathOf(id), call);
  }

  /** Posts a test message. Resolves with the result, after at most 5 s. */
  test(id: string, call: CallOptions = {}): Promise<WebhookAttempt> {
    return this.#requests.post(`${pathOf(id)}/test`, call);
  }

  /** Resolves with the latest attempts at deliveries, newest first. */
  async deliveries(id: string, call: CallOptions = {}): Promise<WebhookAttempt[]> {
    const path = `${pathOf(id)}/deliveries`;
    return (await this.#requests.get<{ attempts: WebhookAttempt[] }>(path, call)).attempts;
  }
}

function pathOf(id: string): string {
  return `/api/webhooks/${segment(id)}`;
}
