import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ProcessList } from '#dist/contract/system.js';
import type { Terminal } from '#dist/contract/terminal.js';
import { type Api, createApi } from '../support/http.js';
import { type Service, startService } from '../support/service.js';

const CLIENT = 'x-auto-terminal-client';

let service: Service;
let plain: Api;
let mcp: Api;
let other: Api;

beforeAll(async () => {
  service = await startService({ env: { SHELL: '/bin/sh' } });
  plain = createApi(service.url);
  mcp = createApi(service.url, { headers: { [CLIENT]: 'mcp' } });
  other = createApi(service.url, { headers: { [CLIENT]: 'ui' } });
});
afterAll(() => service?.stop());

async function create(api: Api): Promise<Terminal> {
  return (await api.post<Terminal>('/api/terminals', { command: ['cat'] })).body;
}

async function lastInputSource(id: string): Promise<string | null | undefined> {
  const { body } = await plain.get<ProcessList>('/api/processes');
  return body.processes.find((process) => process.id === id)?.lastInputSource;
}

describe('mode: the client that created it', () => {
  it('is mcp if the tool server asks, and api for all other clients', async () => {
    const created = await Promise.all([mcp, plain, other].map(create));
    expect(created.map(({ mode }) => mode)).toEqual(['mcp', 'api', 'api']);
    const { body } = await plain.get<{ terminals: Terminal[] }>('/api/terminals');
    const listed = new Map(body.terminals.map(({ id, mode }) => [id, mode]));
    expect(created.map(({ id }) => listed.get(id))).toEqual(['mcp', 'api', 'api']);
  });
});

describe('lastInputSource: origin of the last input', () => {
  const keys = { keys: ['a', 'enter'] };
  const routes: [path: string, body: object][] = [
    ['input', { data: 'x' }],
    ['execute', { prompt: 'x', cliType: 'default' }],
    ['prompt', { prompt: 'x', cliType: 'default' }],
    ['keys', keys],
  ];
  it.each(routes)('/api/terminals/:id/%s', async (path, body) => {
    const { id } = await create(plain);
    expect(await lastInputSource(id)).toBeNull();
    for (const [api, source] of [
      ...([
        [mcp, 'mcp'],
        [plain, 'api'],
      ] as const),
      ...([
        [mcp, 'mcp'],
        [other, 'api'],
      ] as const),
    ]) {
      expect((await api.post(`/api/terminals/${id}/${path}`, body)).status).toBe(200);
      expect(await lastInputSource(id)).toBe(source);
    }
  });

  const batches: [path: string, body: object][] = [
    ['input', { data: 'x' }],
    ['execute', { prompt: 'x', cliType: 'default' }],
    ['run', { command: 'x', idleMs: 100, timeoutMs: 2_000 }],
  ];
  it.each(batches)('/api/terminals/batch/%s', async (path, body) => {
    const [byMcp, byPlain] = await Promise.all([create(plain), create(mcp)]);
    const post = (api: Api, { id }: Terminal) =>
      api.post(`/api/terminals/batch/${path}`, { terminalIds: [id], ...body });
    const answers = await Promise.all([post(mcp, byMcp), post(plain, byPlain)]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    expect(await lastInputSource(byMcp.id)).toBe('mcp');
    expect(await lastInputSource(byPlain.id)).toBe('api');
  });

  it('fleet stays fleet, whichever client asks', async () => {
    const { id } = await create(plain);
    await mcp.post('/api/fleet/execute', { terminalId: id, command: 'x', timeoutMs: 1_000 });
    expect(await lastInputSource(id)).toBe('fleet');
  });
});

it('combines with the key of a retry: the answer is the first one', async () => {
  const headers = { [CLIENT]: 'mcp', 'idempotency-key': 'one' };
  const keyed = createApi(service.url, { headers });
  const [first, again] = [await create(keyed), await create(keyed)];
  expect(first.mode).toBe('mcp');
  expect(again).toEqual(first);
});
