import { pino } from 'pino';
import { configOf } from '#dist/config/settings.js';
import { LocalUsers } from '#dist/gateway/local-users/local-users.js';
import { createGateway } from '#dist/gateway/server.js';
import type { App } from '#dist/gateway/validation.js';
import { openAccess } from './open-access.js';

/** Returns a gateway in open mode with the default settings and these routes alone. Listen and close it yourself. */
export function gatewayWith(registerRoutes: (routes: App) => void): App {
  const config = configOf({}, { platform: 'linux', cores: 2 });
  if (typeof config === 'string') throw new Error(config);
  return createGateway({
    access: openAccess(),
    users: new LocalUsers({ uid: undefined }),
    config: () => config,
    instanceId: 'i-1',
    logger: pino({ level: 'silent' }),
    registerWebSocket: () => {},
    registerRoutes,
  });
}
