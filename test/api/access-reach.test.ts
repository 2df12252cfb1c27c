import { beforeAll, describe, expect, test } from 'vitest';
import { type Guarded, guard } from '../support/guarded.js';
import { watch } from '../support/http.js';
import { useService } from '../support/use-service.js';

const used = useService();
let guarded: Guarded;

const own = (method: string, path: string, body?: unknown) => guarded.send(guarded.own, method, path, body);
const label = (id: string, team: string) => own('PATCH', `/api/terminals/${id}`, { labels: { team } });

/** Sends a request with a key. */
async function keyed(token: string, path: string, body: object, key: string) {
  const response = await fetch(`${used.service.url}${path}`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      'idempotency-key': key,
    },
    body: JSON.stringify(body),
  });
  return { status: response.status, body: (await response.json()) as { code?: string; runId?: string } };
}

beforeAll(async () => {
  guarded = await guard(used.service);
});

describe('a token that no longer reaches a terminal, since that has other labels', () => {
  test('types nothing there of what has waited in line', async () => {
    const id = await guarded.open({ team: 'a' });
    const { token } = await guarded.make(['type', 'run', 'read'], { selector: 'team=a' });
    const { leaseId } = (await own('POST', `/api/terminals/${id}/lease`, {})).body;
    const wish = { whenBusy: 'queue', queueMs: 60_000 };
    const post = (path: string, body: object) => guarded.send(token, 'POST', path, { ...body, ...wish });
    const runIn = { terminalIds: [id], command: 'RUN', waitFor: 0, timeoutMs: 60_000 };
    const { runId } = (await post('/api/terminals/batch/run', runIn)).body;
    const waiting = [
      post(`/api/terminals/${id}/input`, { data: 'INPUT\n' }),
      post(`/api/terminals/${id}/keys`, { keys: ['K', 'E', 'Y', 'S', 'enter'] }),
      post(`/api/terminals/${id}/execute`, { prompt: 'PROMPT' }),
    ];
    const batch = post('/api/terminals/batch/input', { terminalIds: [id], data: 'BATCH\n' });
    const socket = await watch(used.service.url, `token=${token}`);
    const payload = { action: 'terminal:input', terminalId: id, data: 'SOCKET\n', ...wish };
    socket.send({ id: 'typed', type: 'command', payload });
    await expect.poll(async () => (await own('GET', `/api/terminals/${id}/lease`)).body.queued).toBe(6);
    await label(id, 'b');
    await own('DELETE', `/api/terminals/${id}/lease?leaseId=${leaseId}`);
    const gone = { status: 404, body: { code: 'terminal-not-found' } };
    // The route of typed input answers for an unknown terminal, too.
    const [input, ...others] = await Promise.all(waiting);
    expect(input!.body).toMatchObject({ code: 'terminal-not-found' });
    expect(others).toMatchObject([gone, gone]);
    expect((await batch).body.results).toMatchObject([{ success: false, code: 'terminal-not-found' }]);
    const answer = () => socket.frames.find((frame) => frame.id === 'typed');
    await socket.until(() => answer() !== undefined);
    expect(answer()).toMatchObject({ success: false, code: 'terminal-not-found' });
    await socket.close();
    const { body } = await own('GET', `/api/runs/${runId}?timeoutMs=20000`);
    expect(body.results).toMatchObject([{ terminalId: id, success: false, code: 'unauthorized' }]);
    await own('POST', `/api/terminals/${id}/input`, { data: 'LAST\n' });
    const output = async () => (await own('GET', `/api/terminals/${id}/output`)).body.raw as string;
    await expect.poll(output).toContain('LAST');
    expect(await output()).not.toMatch(/RUN|INPUT|KEYS|PROMPT|BATCH|SOCKET/);
    await own('DELETE', `/api/terminals/${id}`);
  });

  test('gets no run of that terminal by its key, and the same run once it reaches the terminal again', async () => {
    const id = await guarded.open({ team: 'a' });
    const { token } = await guarded.make(['run', 'read'], { selector: 'team=a' });
    const body = { terminalIds: [id], command: 'ONCE', idleMs: 100, timeoutMs: 20_000 };
    const selected = { ...body, terminalIds: undefined, selector: 'team=a' };
    const ask = (which: object) =>
      keyed(token, '/api/terminals/batch/run', which, which === body ? 'k' : 'selected');
    const first = [await ask(body), await ask(selected)];
    expect(first).toMatchObject([{ status: 200 }, { status: 200 }]);
    await label(id, 'b');
    expect([await ask(body), await ask(selected)]).toMatchObject([
      { status: 404, body: { code: 'terminal-not-found' } },
      { status: 404, body: { code: 'terminal-not-found' } },
    ]);
    await label(id, 'a');
    expect([await ask(body), await ask(selected)]).toMatchObject(
      first.map(({ body: { runId } }) => ({ status: 200, body: { runId } })),
    );
    await own('DELETE', `/api/terminals/${id}`);
  });
});
