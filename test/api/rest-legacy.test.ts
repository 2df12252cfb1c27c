import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Terminal } from '#dist/contract/terminal.js';
import { failed } from '../support/failed.js';
import { type Api, createApi, type Failure } from '../support/http.js';
import type { Service } from '../support/service.js';
import { sharedService } from '../support/shared-service.js';

let service: Service;
let api: Api;

beforeAll(async () => {
  service = await sharedService();
  api = createApi(service.url);
});
afterAll(() => service?.stop());

interface Token {
  token: string;
  expiresIn: string;
  permissions: string[];
}

const part = (token: string, index: number) =>
  JSON.parse(Buffer.from(token.split('.')[index]!, 'base64url').toString());

describe('stub and legacy routes', () => {
  test('POST /api/profiles/:id/default does nothing', async () => {
    for (const id of ['bash', 'nope']) {
      const { status, body } = await api.post(`/api/profiles/${id}/default`);
      expect([status, body]).toEqual([200, { status: 'ok' }]);
    }
  });

  test('POST /api/terminals/:id/reset does nothing', async () => {
    const { body: before } = await api.post<Terminal>('/api/terminals', { command: ['cat'] });
    for (const id of [before.id, 'gone']) {
      const { status, body } = await api.post(`/api/terminals/${id}/reset`, {});
      expect([status, body]).toEqual([200, { status: 'ok' }]);
    }
    expect((await api.get(`/api/terminals/${before.id}`)).body).toEqual(before);
  });

  test('GET /api/system/metrics returns zeros', async () => {
    const { status, body } = await api.get('/api/system/metrics');
    expect([status, body]).toEqual([200, { cpu: 0, memory: 0, disk: 0, network: 0 }]);
  });

  test('GET /api/search/history returns {history: []}', async () => {
    const { status, body } = await api.get('/api/search/history');
    expect([status, body]).toEqual([200, { history: [] }]);
  });
});

describe('POST /api/auth/token', () => {
  test('mints a JWT for a day', async () => {
    const request = { clientId: 'panel', permissions: ['read'] };
    const before = Math.floor(Date.now() / 1_000);
    const { status, body } = await api.post<Token>('/api/auth/token', request);
    expect([status, body]).toEqual([
      200,
      { token: expect.any(String), expiresIn: '24h', permissions: ['read'] },
    ]);
    expect(part(body.token, 0)).toEqual({ alg: 'HS256', typ: 'JWT' });
    const claims = part(body.token, 1);
    expect(claims).toMatchObject({ sub: 'panel', clientId: 'panel', permissions: ['read'] });
    expect(claims.exp - claims.iat).toBe(24 * 3_600);
    expect(claims.iat).toBeGreaterThanOrEqual(before);
    expect(Buffer.from(body.token.split('.')[2]!, 'base64url')).toHaveLength(32);
  });

  test('needs no body', async () => {
    const { status, body } = await api.post<Token>('/api/auth/token');
    expect(status).toBe(200);
    expect(part(body.token, 1).permissions).toEqual(body.permissions);
  });

  test.each([{ clientId: 5 }, { permissions: 'all' }, { permissions: [1] }, []])(
    '%j is a 400',
    async (bad) => {
      const { status, body } = await api.post<Failure>('/api/auth/token', bad);
      expect([status, body]).toEqual([400, failed()]);
    },
  );
});
