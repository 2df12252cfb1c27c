import { beforeAll, describe, expect, test } from 'vitest';
import { EventStream } from '../support/event-client.js';
import { ask as askWith, upgrade } from '../support/exposed.js';
import { type Guarded, guard } from '../support/guarded.js';
import { watch } from '../support/http.js';
import { useService } from '../support/use-service.js';

const used = useService();
let guarded: Guarded;

const own = (method: string, path: string, body?: unknown) => guarded.send(guarded.own, method, path, body);

beforeAll(async () => {
  guarded = await guard(used.service);
});

describe('a token', () => {
  test('that is deleted ends its WebSockets, streams and waits at once, and nobody else', async () => {
    const id = await guarded.open();
    const [one, other] = [await guarded.make(['read']), await guarded.make(['read'])];
    const url = used.service.url;
    const sockets = [await watch(url, `token=${one.token}`), await watch(url, `token=${other.token}`)];
    const closed = sockets.map(({ socket }) => new Promise((resolve) => socket.once('close', resolve)));
    const events = await EventStream.open(url, { headers: { authorization: `Bearer ${one.token}` } });
    const headers = { authorization: `Bearer ${one.token}` };
    const stream = await fetch(`${url}/api/terminals/${id}/stream`, { headers });
    const wait = guarded.send(one.token, 'POST', `/api/terminals/${id}/wait`, {
      until: 'exit',
      timeoutMs: 60_000,
    });
    const [streamEnds, waitEnds] = [stream.text(), wait].map((work) =>
      work.then(
        () => 'answered',
        () => 'broken',
      ),
    );
    await expect.poll(waitsOpen).toBeGreaterThan(0);
    expect((await own('DELETE', `/api/tokens/${one.id}`)).status).toBe(204);
    await closed[0];
    await events.closed;
    expect([await streamEnds, await waitEnds]).toEqual(['broken', 'broken']);
    await own('POST', `/api/terminals/${id}/input`, { data: 'still there\n' });
    await sockets[1]!.untilOutput(id, 'still there');
    await sockets[1]!.close();
  });

  test('that is deleted creates no more of the terminals that it has asked for', async () => {
    await own('PATCH', '/api/settings', { audit: { enabled: true } });
    const { token, id } = await guarded.make(['control'], { selector: 'team=many' });
    const terminals = Array.from({ length: 100 }, () => ({ command: ['cat'] }));
    const events = await EventStream.open(used.service.url, {
      headers: { authorization: `Bearer ${guarded.own}` },
    });
    const answered = guarded.send(token, 'POST', '/api/terminals/batch/create', { terminals }).then(
      () => 'answered',
      () => 'broken',
    );
    await expect.poll(() => events.events.some(({ type }) => type === 'terminal.created')).toBe(true);
    await own('DELETE', `/api/tokens/${id}`);
    expect(await answered).toBe('broken');
    // The line is written once the work of the request is over; the answer itself reaches no client.
    const isOver = async () => (await auditText()).includes('POST /api/terminals/batch/create');
    await expect.poll(isOver).toBe(true);
    const { body } = await own('GET', '/api/terminals?selector=team=many');
    expect(body.terminals.length).toBeLessThan(terminals.length);
    await events.cut();
    for (const { id: each } of body.terminals) await own('DELETE', `/api/terminals/${each}`);
  });

  test('that is deleted types nothing more, neither by inputs nor by runs that wait', async () => {
    const id = await guarded.open({ team: 'held' });
    const { token, id: tokenId } = await guarded.make(['type', 'run', 'read'], { selector: 'team=held' });
    const { leaseId } = (await own('POST', `/api/terminals/${id}/lease`, {})).body;
    const wish = { whenBusy: 'queue', queueMs: 60_000 };
    const runIn = { terminalIds: [id], command: 'RUN', waitFor: 0, timeoutMs: 60_000, ...wish };
    const { runId } = (await guarded.send(token, 'POST', '/api/terminals/batch/run', runIn)).body;
    const input = guarded
      .send(token, 'POST', `/api/terminals/${id}/input`, { data: 'INPUT\n', ...wish })
      .then(
        () => 'answered',
        () => 'broken',
      );
    const queued = async () => (await own('GET', `/api/terminals/${id}/lease`)).body.queued;
    await expect.poll(queued).toBe(2);
    await own('DELETE', `/api/tokens/${tokenId}`);
    expect(await input).toBe('broken');
    await own('DELETE', `/api/terminals/${id}/lease?leaseId=${leaseId}`);
    const { body } = await own('GET', `/api/runs/${runId}?timeoutMs=20000`);
    expect(body.results).toMatchObject([{ terminalId: id, success: false, code: 'unauthorized' }]);
    await own('POST', `/api/terminals/${id}/input`, { data: 'LAST\n' });
    const output = async () => (await own('GET', `/api/terminals/${id}/output`)).body.raw as string;
    await expect.poll(output).toContain('LAST');
    expect(await output()).not.toMatch(/RUN|INPUT/);
    await own('DELETE', `/api/terminals/${id}`);
  });

  test('that expires ends its WebSockets', async () => {
    const { token } = await guarded.make(['read'], { expiresInMs: 1_000 });
    const { socket } = await watch(used.service.url, `token=${token}`);
    await new Promise((resolve) => socket.once('close', resolve));
    expect(await upgrade(`${used.service.url}/ws?token=${token}`)).toBe(401);
  });
});

async function auditText(): Promise<string> {
  return (await askWith(used.service.url, '/api/audit', guarded.own)).text!;
}

/** Number of requests that wait. */
async function waitsOpen(): Promise<number> {
  const { text } = await askWith(used.service.url, '/metrics', guarded.own);
  return Number(/^auto_terminal_waits (\d+)/m.exec(text!)?.[1] ?? 0);
}
