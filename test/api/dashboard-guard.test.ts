import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { JSON_TYPE, navigation, startWithDashboard, type WithDashboard } from '../support/dashboard.js';
import { elsewhere } from '../support/exposed.js';

let service: WithDashboard;
let own: string;
/** Page of another program on this machine, which browsers treat as same-site. */
const NEIGHBOUR = 'http://127.0.0.1:3000';

beforeAll(async () => {
  service = await startWithDashboard({ network: { allowedOrigins: ['https://panel.example'] } });
  own = service.url;
});
afterAll(() => service?.stop());

const port = () => new URL(own).port;
const codeOf = (text: string): string | undefined => (JSON.parse(text) as { code?: string }).code;

describe('a request to the API of the dashboard', () => {
  const served: [string, () => Record<string, string>][] = [
    ['without an Origin', () => ({})],
    ['from its own page', () => ({ origin: own, 'sec-fetch-site': 'same-origin' })],
    ['from its own page, a GET', () => ({ 'sec-fetch-site': 'same-origin' })],
    ['from its own page under another name', () => named('localhost')],
    ['typed into the address bar', () => ({ 'sec-fetch-site': 'none', 'sec-fetch-mode': 'navigate' })],
  ];
  const named = (name: string) => ({ host: `${name}:${port()}`, origin: `http://${name}:${port()}` });
  test.each(served)('%s is served', async (_name, headers) => {
    const { status, headers: answered } = await service.raw({ path: '/api/terminals', headers: headers() });
    expect(status).toBe(200);
    expect(answered['access-control-allow-origin']).toBeUndefined();
    expect(answered['cross-origin-resource-policy']).toBe('same-origin');
  });

  const refused: [string, () => Record<string, string>, string][] = [
    ['a page of another port', () => ({ origin: NEIGHBOUR }), 'origin-not-allowed'],
    ['a page of the API', () => ({ origin: service.app.url }), 'origin-not-allowed'],
    ['an allowed origin', () => ({ origin: 'https://panel.example' }), 'origin-not-allowed'],
    ['its page under another name', () => ({ origin: `http://localhost:${port()}` }), 'origin-not-allowed'],
    ['https', () => ({ origin: own.replace('http', 'https') }), 'origin-not-allowed'],
    ['null', () => ({ origin: 'null' }), 'origin-not-allowed'],
    ['a foreign Host', () => ({ host: `evil.example:${port()}` }), 'host-not-allowed'],
    [
      'a foreign Host with its Origin',
      () => ({ host: 'evil.example', origin: 'http://evil.example' }),
      'host-not-allowed',
    ],
    ['a picture on a page of another port', () => ({ 'sec-fetch-site': 'same-site' }), 'origin-not-allowed'],
    ['a picture elsewhere', () => ({ 'sec-fetch-site': 'cross-site' }), 'origin-not-allowed'],
    ['a link to the API', () => navigation('cross-site'), 'origin-not-allowed'],
    ['a link to the API from a page of another port', () => navigation('same-site'), 'origin-not-allowed'],
  ];
  test.each(refused)('from %s is refused', async (_name, headers, code) => {
    const { status, body } = await service.raw({ path: '/api/terminals', headers: headers() });
    expect([status, codeOf(body)]).toEqual([403, code]);
  });

  test('a preflight of another page is refused', async () => {
    const headers = { origin: NEIGHBOUR, 'access-control-request-method': 'POST' };
    const { status } = await service.raw({ method: 'OPTIONS', path: '/api/terminals', headers });
    expect(status).toBe(403);
  });

  test.each([
    ['a form', { 'content-type': 'application/x-www-form-urlencoded' }, 403, 'form-not-allowed'],
    ['text', { 'content-type': 'text/plain' }, 403, 'form-not-allowed'],
    ['nothing declared', {}, 415, 'not-json'],
  ])('%s is refused, also from its own page', async (_name, type, status, code) => {
    const headers = { ...type, origin: own, 'content-length': '2' };
    const answer = await service.raw({ method: 'POST', path: '/api/terminals', headers, body: '{}' });
    expect([answer.status, codeOf(answer.body)]).toEqual([status, code]);
  });

  test('the API keeps its own rules: a page of the dashboard port may ask there, and nothing listens elsewhere', async () => {
    const { status } = await service.api.raw({ path: '/api/terminals', headers: { origin: own } });
    expect(status).toBe(200);
    const panel = { origin: 'https://panel.example' };
    expect((await service.api.raw({ path: '/api/terminals', headers: panel })).status).toBe(200);
    await expect(fetch(elsewhere(own))).rejects.toThrow();
  });
});

describe('a page of the dashboard', () => {
  test.each(['none', 'cross-site', 'same-site', 'same-origin'])('opens by a link: %s', async (site) => {
    const { status } = await service.raw({ path: '/t/term_1', headers: navigation(site) });
    expect(status).toBe(200);
  });

  test.each([
    ['in a frame', { ...navigation('cross-site'), 'sec-fetch-dest': 'iframe' }],
    ['as a script', { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors' }],
    ['by a form', { ...navigation('cross-site'), origin: NEIGHBOUR }],
  ])('does not open from elsewhere %s', async (_name, headers) => {
    expect((await service.raw({ path: '/', headers })).status).toBe(403);
  });

  test('a POST by a form of another page is refused', async () => {
    const headers = { ...navigation('cross-site'), ...JSON_TYPE };
    expect((await service.raw({ method: 'POST', path: '/', headers })).status).toBe(403);
  });
});

describe('a WebSocket of the dashboard', () => {
  const socketTo = (headers: Record<string, string>) =>
    new WebSocket(`${own.replace('http', 'ws')}/api/ws`, { headers });

  test.each([
    ['another port', () => ({ origin: NEIGHBOUR })],
    ['elsewhere', () => ({ origin: 'http://evil.example' })],
    ['an allowed origin', () => ({ origin: 'https://panel.example' })],
    ['null', () => ({ origin: 'null' })],
    ['another site', () => ({ 'sec-fetch-site': 'same-site' })],
    ['a foreign Host', () => ({ host: 'evil.example' })],
  ])('from %s is refused, and its connection ends', async (_name, headers) => {
    const [, response] = await once(socketTo(headers()), 'unexpected-response');
    expect(response.statusCode).toBe(403);
    await once(response.resume(), 'close');
  });

  test.each([
    ['its own page', () => ({ origin: own, 'sec-fetch-site': 'same-origin' })],
    ['a program', () => ({})],
  ])('from %s opens', async (_name, headers) => {
    const socket = socketTo(headers());
    await once(socket, 'open');
    socket.terminate();
  });
});
