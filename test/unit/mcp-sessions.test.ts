import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { describe, expect, it } from 'vitest';
import { Sessions } from '#mcp/sessions.js';

const IDLE_MS = 1_000;
const HELLO = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
};

function sessions(): Sessions {
  return new Sessions({
    createServer: () => new Server({ name: 'test', version: '1' }, { capabilities: { tools: {} } }),
    idleMs: () => IDLE_MS,
  });
}

function request(method: string, session?: string): Request {
  const headers = new Headers({
    accept: 'application/json, text/event-stream',
    'content-type': 'application/json',
  });
  if (session !== undefined) headers.set('mcp-session-id', session);
  return new Request('http://localhost/mcp', { method, headers });
}

async function hello(all: Sessions): Promise<string> {
  const { response, ended } = await all.exchange(request('POST'), HELLO);
  await response.text();
  ended(true);
  return response.headers.get('mcp-session-id')!;
}

describe('sessions that nobody uses', () => {
  it('are dropped after the time of the setting', async () => {
    const all = sessions();
    await hello(all);
    const now = Date.now();
    all.dropIdle(now);
    expect(all.size).toBe(1);
    all.dropIdle(now + IDLE_MS);
    expect(all.size).toBe(0);
  });

  it('are kept while a stream of theirs is open', async () => {
    const all = sessions();
    const id = await hello(all);
    const stream = await all.exchange(request('GET', id), undefined);
    all.dropIdle(Date.now() + 10 * IDLE_MS);
    expect(all.size).toBe(1);
    stream.ended(false);
    all.dropIdle(Date.now() + 10 * IDLE_MS);
    expect(all.size).toBe(0);
    // It was open until then.
    expect(await stream.response.text()).toBe('');
  });

  it('go on when their client comes back', async () => {
    const all = sessions();
    const id = await hello(all);
    all.dropIdle(Date.now() + IDLE_MS);
    const ping = { jsonrpc: '2.0', id: 2, method: 'ping' };
    const { response } = await all.exchange(request('POST', id), ping);
    expect(response.status).toBe(200);
    expect(response.headers.get('mcp-session-id')).toBe(id);
    expect(all.size).toBe(1);
  });

  it('a POST that begins none leaves none', async () => {
    const all = sessions();
    const { response } = await all.exchange(request('POST'), { jsonrpc: '2.0', id: 1, method: 'ping' });
    expect(response.status).toBe(400);
    expect(all.size).toBe(0);
  });
});
