import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { ask, elsewhere, patch } from '../support/exposed.js';
import { failed } from '../support/failed.js';
import { type Api, createApi, type Failure } from '../support/http.js';
import { type Service, startService } from '../support/service.js';

const HEADER = 'x-auto-terminal-instance';
const OTHER = '00000000-0000-4000-8000-000000000000';
const REFUSED = failed('Another instance of the service answers here');

let service: Service;
let plain: Api;
let wrong: Api;
let instanceId: string;

beforeAll(async () => {
  service = await startService();
  plain = createApi(service.url);
  wrong = createApi(service.url, { headers: { [HEADER]: OTHER } });
  instanceId = (await plain.get<{ instanceId: string }>('/health')).body.instanceId;
});
afterAll(() => service?.stop());

describe('a request for another instance', () => {
  it('is 421, and nothing is done', async () => {
    const { status, body } = await wrong.post<Failure>('/api/terminals', { command: ['cat'] });
    expect([status, body]).toEqual([421, REFUSED]);
    expect((await plain.get('/api/terminals')).body).toEqual({ terminals: [] });
  });

  it.each(['/api/terminals', '/api/settings', '/metrics', '/openapi.json'])('%s', async (path) => {
    expect((await wrong.get(path)).status).toBe(421);
  });

  it('also for an unknown route, and for an empty name', async () => {
    expect((await wrong.get('/api/nothing')).status).toBe(421);
    const empty = createApi(service.url, { headers: { [HEADER]: '' } });
    expect((await empty.get('/api/terminals')).status).toBe(421);
  });

  it('is refused before its body is looked at', async () => {
    expect((await wrong.post('/api/terminals', { cols: 'wide' })).status).toBe(421);
  });

  it('gets the id of this instance from both health routes', async () => {
    for (const path of ['/health', '/api/health?x=1']) {
      expect((await wrong.get(path)).body).toMatchObject({ instanceId });
    }
  });

  it('is refused as a WebSocket, too', async () => {
    const socket = new WebSocket(`${service.url.replace('http', 'ws')}/ws`, { headers: { [HEADER]: OTHER } });
    const status = await new Promise((resolve, reject) => {
      socket.once('unexpected-response', (_request, response) => resolve(response.statusCode));
      socket.once('open', () => reject(new Error('it was let in')));
    });
    expect(status).toBe(421);
    socket.on('error', () => {}).terminate();
  });
});

it('a request for this instance is answered', async () => {
  const right = createApi(service.url, { headers: { [HEADER]: instanceId } });
  expect((await right.get('/api/terminals')).status).toBe(200);
});

it('the guard comes first: a refused client learns nothing of instances', async () => {
  const own = await startService();
  const { body } = await createApi(own.url).get<{ network: { authToken: string } }>(
    '/api/settings?reveal=true',
  );
  await patch(own.url, { network: { expose: true } });
  const headers = { [HEADER]: OTHER };
  expect((await ask(elsewhere(own.url), '/api/terminals', undefined, { headers })).status).toBe(401);
  expect((await ask(elsewhere(own.url), '/api/terminals', body.network.authToken, { headers })).status).toBe(
    421,
  );
  await own.stop();
});
