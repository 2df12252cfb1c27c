import { pino } from 'pino';
import { expect, onTestFinished, test } from 'vitest';
import { type Config, configOf } from '#dist/config/settings.js';
import { LocalUsers } from '#dist/gateway/local-users/local-users.js';
import { registerHealth } from '#dist/gateway/routes/health.js';
import { createGateway } from '#dist/gateway/server.js';
import { openAccess } from '../support/open-access.js';

const TOKEN = 'ab'.repeat(32);
const NEXT = 'cd'.repeat(32);

function exposedBy(authToken: string): Config {
  const config = configOf({ network: { expose: true, authToken } }, { platform: 'linux', cores: 2 });
  if (typeof config === 'string') throw new Error(config);
  return config;
}

test('rotation: the next token is accepted from the moment it is sent to the tool server, and not before', async () => {
  let coming: Config | undefined;
  const gateway = createGateway({
    access: openAccess(),
    users: new LocalUsers({ uid: undefined }),
    config: () => exposedBy(TOKEN),
    coming: () => coming,
    instanceId: 'i-1',
    logger: pino({ level: 'silent' }),
    registerWebSocket: () => {},
    registerRoutes: (app) => {
      registerHealth(app, 'i-1', () => ({ search: 'feeding', recordings: 'open' }));
      app.get('/guarded', async () => 'in');
    },
  });
  onTestFinished(async () => void (await gateway.close()));
  const statusWith = async (token: string) => {
    const headers = { host: 'localhost', authorization: `Bearer ${token}` };
    return (await gateway.inject({ url: '/guarded', headers })).statusCode;
  };
  expect([await statusWith(TOKEN), await statusWith(NEXT)]).toEqual([200, 401]);
  coming = exposedBy(NEXT);
  expect([await statusWith(TOKEN), await statusWith(NEXT)]).toEqual([200, 200]);
});
