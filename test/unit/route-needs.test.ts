import type { RouteOptions } from 'fastify';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { configOf } from '#dist/config/settings.js';
import { Verb } from '#dist/contract/access.js';
import { LocalUsers } from '#dist/gateway/local-users/local-users.js';
import { registerRoutes, type Services } from '#dist/gateway/routes/all.js';
import { createGateway } from '#dist/gateway/server.js';
import type { App } from '#dist/gateway/validation.js';
import { registerWebSocket, type WebSocketOptions } from '#dist/gateway/ws/socket.js';
import { openAccess } from '../support/open-access.js';

/** Returns parts that no test calls: the routes are registered, and get no request. */
function uncalled<Parts extends object>(): Parts {
  return new Proxy((() => undefined) as unknown as Parts, { get: () => uncalled() });
}

const config = configOf({}, { platform: 'linux', cores: 2 });
if (typeof config === 'string') throw new Error(config);
const found: RouteOptions[] = [];
let app: App;

beforeAll(async () => {
  const logger = pino({ level: 'silent' });
  app = createGateway({
    access: openAccess(),
    users: new LocalUsers({ uid: undefined }),
    config: () => config,
    instanceId: 'i-1',
    logger,
    registerWebSocket: (routes) => {
      routes.addHook('onRoute', (route) => void found.push(route));
      registerWebSocket(routes, { ...uncalled<WebSocketOptions>(), logger });
    },
    registerRoutes: (routes) => registerRoutes(routes, uncalled<Services>()),
  });
  await app.ready();
});

afterAll(() => app.close());

const nameOf = ({ method, url }: RouteOptions) => `${[method].flat().join()} ${url}`;

test('every route of the server says what it needs of a token, upgrades and the pages of its plugins too', () => {
  const names = found.map(nameOf);
  expect(names.length).toBeGreaterThan(150);
  for (const some of ['GET /ws', 'GET /api/ws', 'HEAD /api/terminals', 'GET /docs/json', 'GET /openapi.json'])
    expect(names).toContain(some);
  expect(found.filter(({ config: own }) => own?.access === undefined).map(nameOf)).toEqual([]);
});

test('only the routes of the login and of the health need no token', () => {
  const open = found.filter(({ config: own }) => own?.access?.reach === 'open').map(({ url }) => url);
  expect([...new Set(open)].sort()).toEqual(['/api/health', '/health', '/session']);
});

test('what changes something needs a verb, except for what does nothing', () => {
  const changing = found.filter(({ method }) => !['GET', 'HEAD'].includes([method].flat()[0]!));
  const free = changing.filter(({ config: own }) => own?.access?.verbs.length === 0).map(nameOf);
  expect(free.sort()).toEqual([
    'DELETE /session',
    'POST /api/auth/token',
    'POST /api/profiles/:id/default',
    'POST /session',
  ]);
});

test('every verb is needed by some route', () => {
  const needed = new Set(found.flatMap(({ config: own }) => own?.access?.verbs ?? []));
  // The content of a request decides whether the request needs `takeover`.
  expect(Verb.options.filter((verb) => !needed.has(verb))).toEqual(['takeover']);
});
