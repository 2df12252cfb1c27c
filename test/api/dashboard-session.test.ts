import { on, once } from 'node:events';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { JSON_TYPE, startWithDashboard, type WithDashboard } from '../support/dashboard.js';
import { elsewhere } from '../support/exposed.js';
import { createApi } from '../support/http.js';

const TOKEN = 'ab'.repeat(32);

let service: WithDashboard;
let own: string;

beforeEach(async () => {
  service = await startWithDashboard({ network: { expose: true, authToken: TOKEN } });
  own = service.url;
});
afterEach(() => service?.stop());

const page = () => ({ origin: own, 'sec-fetch-site': 'same-origin' });
const bearer = (token = TOKEN) => ({ authorization: `Bearer ${token}` });

function login(token: string, headers: Record<string, string> = page()) {
  const body = JSON.stringify({ token });
  return service.raw({ method: 'POST', path: '/session', headers: { ...JSON_TYPE, ...headers }, body });
}

async function cookieOf(token = TOKEN): Promise<string> {
  const { status, headers } = await login(token);
  expect(status).toBe(204);
  return String(headers['set-cookie']).split(';', 1)[0]!;
}

async function statusOf(headers: Record<string, string>, path = '/api/terminals'): Promise<number> {
  return (await service.raw({ path, headers })).status;
}

async function session(headers: Record<string, string>): Promise<unknown> {
  return JSON.parse((await service.raw({ path: '/session', headers })).body);
}

async function upgraded(headers: Record<string, string>, query = ''): Promise<WebSocket | number> {
  const socket = new WebSocket(`${own.replace('http', 'ws')}/ws${query}`, { headers });
  socket.on('error', () => undefined);
  const refused = once(socket, 'unexpected-response').then(([, response]) => Number(response.statusCode));
  return Promise.race([once(socket, 'open').then(() => socket), refused]);
}

describe('while exposed', () => {
  test('pages need nothing, and the API the token or a session', async () => {
    const html = { accept: 'text/html' };
    expect(await Promise.all(['/', '/needs', '/icon.svg'].map((path) => statusOf(html, path)))).toEqual([
      200, 200, 200,
    ]);
    expect(await statusOf({}, '/health')).toBe(200);
    expect(await statusOf(page())).toBe(401);
    expect(await statusOf(html, '/api/unknown')).toBe(401);
    expect(await statusOf(bearer())).toBe(200);
    expect(await statusOf(bearer('wrong'))).toBe(401);
    expect(await session(page())).toEqual({ needed: true, active: false });
    const cookie = await cookieOf();
    expect(await session({ ...page(), cookie })).toEqual({ needed: true, active: true });
    expect(await statusOf({ ...page(), cookie })).toBe(200);
  });

  test('the cookie of a page of another origin is worth nothing', async () => {
    const cookie = await cookieOf();
    expect(await statusOf({ cookie, origin: 'http://127.0.0.1:3000' })).toBe(403);
    expect(await statusOf({ cookie, 'sec-fetch-site': 'same-site' })).toBe(403);
    // Browsers always send Origin or fetch metadata: a request without them is a program's, and needs the token.
    expect(await statusOf({ cookie })).toBe(401);
    expect(await statusOf({ cookie, 'sec-fetch-site': 'none' })).toBe(401);
    expect(await upgraded({ cookie, origin: 'http://127.0.0.1:3000' })).toBe(403);
    const { status } = await service.api.raw({ path: '/api/terminals', headers: { ...page(), cookie } });
    // The API trusts the dashboard's origin, and takes no cookie.
    expect(status).toBe(401);
    expect((await service.api.raw({ path: '/api/terminals', headers: { cookie } })).status).toBe(401);
  });

  test('a page elsewhere in the network, of which browsers say less, has its session, too', async () => {
    const remote = createApi(elsewhere(own), { unchecked: true });
    const origin = elsewhere(own);
    const body = JSON.stringify({ token: TOKEN });
    const headers = { ...JSON_TYPE, origin };
    const begun = await remote.raw({ method: 'POST', path: '/session', headers, body });
    expect(begun.status).toBe(204);
    const cookie = String(begun.headers['set-cookie']).split(';', 1)[0]!;
    const asked = async (more: Record<string, string>) =>
      (await remote.raw({ path: '/api/terminals', headers: { cookie, ...more } })).status;
    expect([await asked({ 'x-auto-terminal-client': 'page' }), await asked({})]).toEqual([200, 401]);
    const document = await remote.raw({ path: '/' });
    expect(document.headers['cross-origin-opener-policy']).toBeUndefined();
  });

  test('an upgrade takes the cookie, or the token in its URL', async () => {
    const cookie = await cookieOf();
    for (const socket of [await upgraded({ ...page(), cookie }), await upgraded({}, `?token=${TOKEN}`)]) {
      expect(socket).toBeInstanceOf(WebSocket);
      (socket as WebSocket).terminate();
    }
    expect(await upgraded(page())).toBe(401);
  });

  test('wrong tokens are counted', async () => {
    const statuses = [];
    for (let turn = 0; turn < 5; turn++) statuses.push((await login('wrong')).status);
    expect(statuses).toEqual([401, 401, 401, 401, 401]);
    const { status, headers, body } = await login(TOKEN);
    expect([status, JSON.parse(body)]).toEqual([429, expect.objectContaining({ code: 'too-many-tries' })]);
    expect(Number(headers['retry-after'])).toBeGreaterThan(1);
    expect(Number(headers['retry-after'])).toBeLessThanOrEqual(60);
    expect(headers['set-cookie']).toBeUndefined();
  });

  test('another page cannot log in or out', async () => {
    const foreign = { origin: 'http://127.0.0.1:3000', 'sec-fetch-site': 'same-site' };
    expect((await login(TOKEN, foreign)).status).toBe(403);
    const form = { ...page(), 'content-type': 'text/plain' };
    expect((await login(TOKEN, form)).status).toBe(403);
    const cookie = await cookieOf();
    const end = (headers: Record<string, string>) =>
      service.raw({ method: 'DELETE', path: '/session', headers: { ...headers, cookie } });
    expect((await end(foreign)).status).toBe(403);
    expect(await statusOf({ ...page(), cookie })).toBe(200);
    const { status, headers } = await end(page());
    expect([status, String(headers['set-cookie'])]).toEqual([204, expect.stringContaining('Max-Age=0')]);
    expect(await statusOf({ ...page(), cookie })).toBe(401);
  });

  test('a rotation ends the other sessions, and no open socket', async () => {
    const [asking, other] = [await cookieOf(), await cookieOf()];
    const sockets = [
      await upgraded({ ...page(), cookie: asking }),
      await upgraded({ ...page(), cookie: other }),
    ] as WebSocket[];
    const path = '/api/settings/token/rotate';
    const rotated = await service.raw({ method: 'POST', path, headers: { ...page(), cookie: asking } });
    const { authToken } = JSON.parse(rotated.body) as { authToken: string };
    expect([
      await statusOf({ ...page(), cookie: asking }),
      await statusOf({ ...page(), cookie: other }),
    ]).toEqual([200, 401]);
    for (const socket of sockets) {
      socket.send(JSON.stringify({ id: '1', type: 'subscribe' }));
      for await (const [data] of on(socket, 'message')) if (JSON.parse(String(data)).id === '1') break;
      socket.terminate();
    }
    await service.raw({ method: 'POST', path, headers: bearer(authToken) });
    expect(await statusOf({ ...page(), cookie: asking })).toBe(401);
  });

  test('a browser that asks the API for its page is sent to the login without a token', async () => {
    const html = { accept: 'text/html' };
    expect((await service.api.raw({ path: '/', headers: html })).status).toBe(302);
    expect((await service.api.raw({ path: '/' })).status).toBe(401);
    const foreign = { ...html, host: 'evil.example' };
    expect((await service.api.raw({ path: '/', headers: foreign })).status).toBe(403);
  });
});

test('while not exposed nobody needs to log in; the API has no such route', async () => {
  const change = { network: { expose: false } };
  const headers = { ...JSON_TYPE, ...bearer() };
  const path = '/api/settings';
  await service.raw({ method: 'PATCH', path, headers, body: JSON.stringify(change) });
  expect(await session(page())).toEqual({ needed: false, active: false });
  const { status, headers: answered } = await login('anything');
  expect([status, answered['set-cookie']]).toEqual([204, undefined]);
  expect(await statusOf({})).toBe(200);
  for (const method of ['GET', 'POST', 'DELETE']) {
    const asked = { method, path: '/session', ...(method === 'POST' && { headers: JSON_TYPE, body: '{' }) };
    expect((await service.api.raw(asked)).status).toBe(404);
  }
});
