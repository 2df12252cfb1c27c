import { Health } from '../../contract/answers.js';
import { APP_NAME, VERSION } from '../../contract/version.js';
import type { App } from '../validation.js';

/** `GET /health` and `/api/health`: who answers on this port. */
export function registerHealth(app: App, instanceId: string): void {
  const health: Health = { status: 'ok', app: APP_NAME, instanceId, version: VERSION };
  const schema = {
    summary: 'Who answers on this port',
    description: 'Open in either mode: it never needs a token.',
    tags: ['System'],
    security: [],
    response: { 200: Health },
  };
  app.get('/health', { schema }, async () => health);
  app.get('/api/health', { schema }, async () => health);
}
