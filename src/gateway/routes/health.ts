import { Health } from '../../contract/answers.js';
import { APP_NAME, VERSION } from '../../contract/version.js';
import { needs } from '../access/needs.js';
import type { App } from '../validation.js';

/** `GET /health` and `/api/health`: identifies the service on this port, with its present limitations. */
export function registerHealth(
  app: App,
  instanceId: string,
  details: () => NonNullable<Health['details']>,
): void {
  const health: Health = { status: 'ok', app: APP_NAME, instanceId, version: VERSION };
  const schema = {
    summary: 'Identify the service that answers on this port',
    description: 'Never needs a token, not even in exposed mode.',
    tags: ['System'],
    security: [],
    response: { 200: Health },
  };
  const answer = async () => ({ ...health, details: details() });
  app.get('/health', { config: needs([], 'open'), schema }, answer);
  app.get('/api/health', { config: needs([], 'open'), schema }, answer);
}
