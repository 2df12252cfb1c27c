import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import type { AuditEntry } from '#dist/contract/audit.js';
import { MAX_IDEMPOTENCY_KEY_CHARS, MAX_LOGGED_REFUSALS } from '#dist/contract/limits.js';
import { JSON_TYPE, startWithDashboard, type WithDashboard } from '../support/dashboard.js';
import { type Api, createApi, type RawRequest } from '../support/http.js';
import { startService } from '../support/service.js';

/** Requests of each kind: more than there are lines for requests of strangers. */
const MANY = MAX_LOGGED_REFUSALS + 5;

/** Sends a request many times, and returns the statuses of the answers. */
async function send({ raw }: Pick<Api, 'raw'>, request: RawRequest): Promise<number[]> {
  const statuses = new Set<number>();
  for (let count = 0; count < MANY; count++) statuses.add((await raw(request)).status);
  return [...statuses];
}

function linesIn(text: string): AuditEntry[] {
  return text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as AuditEntry]));
}

test('a flood of refused strangers has a bounded number of short lines, and one that counts the others', async () => {
  const service = await startService();
  onTestFinished(() => rm(service.home, { recursive: true, maxRetries: 5 }));
  const api = createApi(service.url, { unchecked: true });
  await api.patch('/api/settings', { audit: { enabled: true } });
  const long = 'k'.repeat(5_000);
  const headers = { origin: 'http://evil.example', 'idempotency-key': long };
  expect(await send(api, { method: 'DELETE', path: `/api/terminals/${long}`, headers })).toEqual([403]);
  await service.kill('SIGTERM');
  const folder = join(service.home, 'data/audit');
  const [file] = await readdir(folder);
  const lines = linesIn(await readFile(join(folder, file!), 'utf8'));
  const refused = lines.filter(({ code }) => code === 'origin-not-allowed');
  expect(refused).toHaveLength(MAX_LOGGED_REFUSALS);
  const cut = long.slice(0, MAX_IDEMPOTENCY_KEY_CHARS);
  expect(refused[0]).toMatchObject({ request: cut, terminalId: cut });
  expect(lines.slice(-2)).toMatchObject([
    { action: 'audit.left-out', requests: MANY - MAX_LOGGED_REFUSALS },
    { action: 'audit.closed' },
  ]);
});

describe('while exposed', () => {
  const TOKEN = 'ab'.repeat(32);
  const OWNER = { authorization: `Bearer ${TOKEN}` };
  let service: WithDashboard;

  beforeEach(async () => {
    const network = { expose: true, authToken: TOKEN };
    service = await startWithDashboard({ network, audit: { enabled: true } });
  });
  afterEach(() => service?.stop());

  /** Returns what the lines say apart from those about the log itself. */
  async function said(): Promise<string[]> {
    const { body } = await service.api.raw({ path: '/api/audit', headers: OWNER });
    const lines = linesIn(body).filter(({ action }) => !action.startsWith('audit.'));
    return lines.map(({ action, status }) => `${action} ${status}`);
  }

  test('each request of a client with the token has its line, whatever strangers do', async () => {
    expect(await send(service.api, { path: '/api/terminals' })).toEqual([401]);
    const own = { method: 'DELETE', path: '/api/terminals/term_0', headers: OWNER };
    expect(await send(service.api, own)).toEqual([404]);
    expect(await said()).toEqual([
      ...Array.from({ length: MAX_LOGGED_REFUSALS }, () => 'GET /api/terminals 401'),
      ...Array.from({ length: MANY }, () => 'DELETE /api/terminals/:id 404'),
    ]);
  });

  test('routes that need no token leave as few lines, apart from a login', async () => {
    const page = { origin: service.url, 'sec-fetch-site': 'same-origin' };
    expect(await send(service, { method: 'DELETE', path: '/session', headers: page })).toEqual([204]);
    expect(await send(service.api, { method: 'POST', path: '/health' })).toEqual([405]);
    const headers = { ...JSON_TYPE, ...page };
    const body = JSON.stringify({ token: TOKEN });
    expect((await service.raw({ method: 'POST', path: '/session', headers, body })).status).toBe(204);
    expect(await said()).toEqual([
      ...Array.from({ length: MAX_LOGGED_REFUSALS }, () => 'DELETE /session 204'),
      'POST /session 204',
    ]);
  });
});
