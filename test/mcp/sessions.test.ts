import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Sidecar, startSidecar } from '../support/mcp.js';
import { rpc, sessionOf } from '../support/mcp-raw.js';
import { useSharedService } from '../support/use-service.js';

const used = useSharedService();
let sidecar: Sidecar;
beforeAll(async () => {
  sidecar = await startSidecar({ apiUrl: used.service.url });
});
afterAll(() => sidecar.stop());

const LIST = { method: 'tools/call', params: { name: 'list_terminals', arguments: {} } };

describe('MCP sessions', () => {
  it('each initialize begins a session of its own', async () => {
    const first = await sessionOf(sidecar.url);
    const second = await sessionOf(sidecar.url);
    expect(first).not.toBe(second);
    for (const session of [first, second, first]) {
      expect((await rpc(sidecar.url, LIST, { session })).result).toMatchObject({
        structuredContent: { terminals: [] },
      });
    }
  });

  it('a session unknown to the sidecar is resumed under its id', async () => {
    const answer = await rpc(sidecar.url, LIST, { session: 'from-before-a-restart' });
    expect(answer).toMatchObject({ status: 200, session: 'from-before-a-restart' });
    expect(answer.result).toMatchObject({ structuredContent: { terminals: [] } });
  });

  it('many first requests of a session at once reach one server', async () => {
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, id) =>
        rpc(sidecar.url, { ...LIST, id: id + 1 }, { session: 'at-once' }),
      ),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(200));
    expect(answers.map(({ id }) => id)).toEqual(Array.from({ length: 20 }, (_, id) => id + 1));
  });

  it('a session that its client has deleted answers 404, to POST, GET and DELETE', async () => {
    const session = await sessionOf(sidecar.url);
    expect((await rpc(sidecar.url, undefined, { session, method: 'DELETE' })).status).toBe(200);
    for (const method of ['POST', 'GET', 'DELETE'] as const) {
      const answer = await rpc(sidecar.url, method === 'POST' ? LIST : undefined, { session, method });
      expect(answer).toMatchObject({ status: 404, error: { code: -32_001, message: 'Session not found' } });
    }
  });

  it('an unknown session can be deleted, too', async () => {
    expect((await rpc(sidecar.url, undefined, { session: 'unknown', method: 'DELETE' })).status).toBe(200);
    expect((await rpc(sidecar.url, LIST, { session: 'unknown' })).status).toBe(404);
  });

  it('a deleted session ends its stream and its calls', async () => {
    const session = await sessionOf(sidecar.url);
    const stream = await fetch(sidecar.url, {
      headers: { accept: 'text/event-stream', 'mcp-session-id': session },
    });
    expect(stream.status).toBe(200);
    await rpc(sidecar.url, undefined, { session, method: 'DELETE' });
    // Resolves at the end of the stream.
    await stream.text();
  });

  it('an initialize with the id of another session, or of a deleted one, begins a fresh one', async () => {
    const standing = await sessionOf(sidecar.url);
    const deleted = await sessionOf(sidecar.url);
    await rpc(sidecar.url, undefined, { session: deleted, method: 'DELETE' });
    for (const session of [standing, deleted, 'unknown-before']) {
      const fresh = await sessionOf(sidecar.url, session);
      expect(fresh).not.toBe(session);
      expect((await rpc(sidecar.url, LIST, { session: fresh })).status).toBe(200);
    }
  });

  it('a request without a session, or with an invalid id, gets an error that says so', async () => {
    for (const method of ['POST', 'GET', 'DELETE'] as const) {
      const without = await rpc(sidecar.url, method === 'POST' ? LIST : undefined, { method });
      expect(without.status).toBe(400);
      const odd = await rpc(sidecar.url, method === 'POST' ? LIST : undefined, { method, session: 'a b' });
      expect(odd).toMatchObject({ status: 400, error: { message: expect.stringContaining('not valid') } });
    }
  });

  it('a request without a session is answered under its id; an unknown method is named as such', async () => {
    const list = await rpc(sidecar.url, { method: 'tools/list', id: 'mine' });
    expect(list).toMatchObject({ status: 400, id: 'mine', error: { code: -32_000 } });
    const probe = await rpc(sidecar.url, { method: 'server/discover', id: 'probe-1' });
    expect(probe).toMatchObject({ status: 404, id: 'probe-1', error: { code: -32_601 } });
  });

  it('a second stream of a session replaces the first', async () => {
    const session = await sessionOf(sidecar.url);
    const headers = { accept: 'text/event-stream', 'mcp-session-id': session };
    const first = await fetch(sidecar.url, { headers });
    const second = await fetch(sidecar.url, { headers });
    expect([first.status, second.status]).toEqual([200, 200]);
    // Resolves at the end of the stream.
    await first.text();
    await second.body?.cancel();
  });
});
