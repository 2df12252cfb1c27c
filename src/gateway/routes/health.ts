import { APP_NAME, VERSION } from '../../contract/version.js';
import type { App } from '../validation.js';

/** `GET /health` and `/api/health`: who answers on this port. */
export function registerHealth(app: App, instanceId: string): void {
  const health = { status: 'ok', app: APP_NAME, instanceId, version: VERSION };
  app.get('/health', async () => health);
  app.get('/api/health', async () => health);
}
