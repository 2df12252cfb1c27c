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
  const { response, ended } = await all.answer(request('POST'), HELLO);
  await response.text();
  ended();
  return response.headers.get('mcp-session-id')!;
}

describe('unused sessions', () => {
  it('are dropped after the configured time', async () => {
    const all = sessions();
    await hello(all);
    const now = performance.now();
    all.dropIdle(now);
    expect(all.size).toBe(1);
    all.dropIdle(now + IDLE_MS);
    expect(all.size).toBe(0);
  });

  it('are kept while one of their streams is open', async () => {
    const all = sessions();
    const id = await hello(all);
    const stream = await all.answer(request('GET', id), undefined);
    all.dropIdle(performance.now() + 10 * IDLE_MS);
    expect(all.size).toBe(1);
    stream.ended();
    all.dropIdle(performance.now() + 10 * IDLE_MS);
    expect(all.size).toBe(0);
    // The stream was open until then.
    expect(await stream.response.text()).toBe('');
  });

  it('go on when their client comes back', async () => {
    const all = sessions();
    const id = await hello(all);
    all.dropIdle(performance.now() + IDLE_MS);
    const ping = { jsonrpc: '2.0', id: 2, method: 'ping' };
    const { response } = await all.answer(request('POST', id), ping);
    expect(response.status).toBe(200);
    expect(response.headers.get('mcp-session-id')).toBe(id);
    expect(all.size).toBe(1);
  });

  it("a stream, unless its client's last, is ended when the client opens another", async () => {
    const all = sessions();
    const id = await hello(all);
    const first = await all.answer(request('GET', id), undefined);
    const second = await all.answer(request('GET', id), undefined);
    expect(await first.response.text()).toBe('');
    first.ended();
    all.dropIdle(performance.now() + 10 * IDLE_MS);
    expect(all.size).toBe(1);
    second.ended();
  });

  it('a POST that begins no session leaves none', async () => {
    const all = sessions();
    const { response } = await all.answer(request('POST'), { jsonrpc: '2.0', id: 1, method: 'ping' });
    expect(response.status).toBe(400);
    expect(all.size).toBe(0);
  });
});
