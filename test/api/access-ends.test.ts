import { beforeAll, describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import type { CreatedToken } from '#dist/contract/access.js';
import { type Guarded, guard } from '../support/guarded.js';
import { watch } from '../support/http.js';
import { eventually } from '../support/processes.js';
import { within } from '../support/service.js';
import { useService } from '../support/use-service.js';

const used = useService();
let guarded: Guarded;
let terminalId: string;
beforeAll(async () => {
  guarded = await guard(used.service);
  terminalId = await guarded.open();
});

/** Connection or request that a client has open. */
interface Open {
  name: string;
  ended: Promise<unknown>;
}

const send = (token: string, path: string, body?: object) =>
  fetch(`${used.service.url}${path}`, {
    method: body ? 'POST' : 'GET',
    headers: { authorization: `Bearer ${token}`, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  });

/** Opens an HTTP stream; resolves once the answer has begun. */
async function stream(token: string, name: string, path: string): Promise<Open> {
  const { status, body } = await send(token, path);
  expect([name, status]).toEqual([name, 200]);
  const reader = body!.getReader();
  const read = async () => {
    while (!(await reader.read()).done);
    throw new Error(`${name} has ended as if it were whole`);
  };
  return { name, ended: expect(read(), name).rejects.toThrow('terminated') };
}

async function socket(token: string): Promise<Open> {
  const ws = new WebSocket(`${used.service.url.replace('http', 'ws')}/ws?token=${token}`);
  const ended = new Promise((resolve) => ws.once('close', resolve));
  await new Promise((resolve) => ws.once('message', resolve));
  return { name: 'a WebSocket', ended };
}

async function waits(): Promise<number> {
  const page = await (await send(guarded.own, '/metrics')).text();
  return Number(/^auto_terminal_waits (\d+)$/m.exec(page)?.[1]);
}

/** Sends a wait; resolves once the service counts the wait. */
async function wait(token: string): Promise<Open> {
  const before = await waits();
  const answer = send(token, `/api/terminals/${terminalId}/wait`, { until: 'exit', timeoutMs: 600_000 });
  const ended = expect(answer).rejects.toThrow('fetch failed');
  await eventually('it waits', async () => (await waits()) > before);
  return { name: 'a wait', ended };
}

async function run(token: string): Promise<Open> {
  const body = { terminalIds: [terminalId], command: 'x', waitFor: 0, idleMs: 600_000, timeoutMs: 600_000 };
  const { runId } = (await (await send(token, '/api/terminals/batch/run', body)).json()) as { runId: string };
  return stream(token, 'the output of a run', `/api/runs/${runId}/stream`);
}

/** Opens one of each kind of connection and request with the token. */
async function openAll({ token }: CreatedToken): Promise<Open[]> {
  return [
    await stream(token, 'events', '/api/events'),
    await stream(token, 'raw output', `/api/terminals/${terminalId}/stream?from=now`),
    await socket(token),
    await wait(token),
    await run(token),
  ];
}

const allEnd = (open: Open[]) =>
  Promise.all(open.map(({ name, ended }) => within(20_000, ended, () => `${name} does not end`)));

const VERBS = ['read', 'run'] as const;

describe('what is open with a token ends', () => {
  test('when the token is deleted', async () => {
    const token = await guarded.make([...VERBS]);
    const open = await openAll(token);
    await guarded.send(guarded.own, 'DELETE', `/api/tokens/${token.id}`);
    await allEnd(open);
  });

  test('when the token expires', async () => {
    await allEnd(await openAll(await guarded.make([...VERBS], { expiresInMs: 8_000 })));
  });

  test('when the token gets another text, which opens the same', async () => {
    const token = await guarded.make([...VERBS]);
    const open = await openAll(token);
    const { body } = await guarded.send(guarded.own, 'POST', `/api/tokens/${token.id}/rotate`);
    expect(body).toMatchObject({ id: token.id, verbs: VERBS, token: expect.stringMatching(/^at_/) });
    await allEnd(open);
    expect((await guarded.send(token.token, 'GET', '/api/terminals')).status).toBe(401);
    expect((await guarded.send(body.token, 'GET', '/api/terminals')).status).toBe(200);
  });

  test('with the earlier text, after the overlap, and not what was opened with the new one', async () => {
    const token = await guarded.make([...VERBS]);
    const open = await openAll(token);
    const rotate = `/api/tokens/${token.id}/rotate`;
    const { body } = await guarded.send(guarded.own, 'POST', rotate, { overlapMs: 1_000 });
    const watcher = await watch(used.service.url, `token=${body.token}`);
    await allEnd(open);
    expect((await guarded.send(token.token, 'GET', '/api/terminals')).status).toBe(401);
    expect((await guarded.send(body.token, 'GET', '/api/terminals')).status).toBe(200);
    await watcher.close();
  });
});

test('a token beyond its rate is told when to try again, by REST and by a WebSocket', async () => {
  const { token } = await guarded.make(['read', 'type'], { ratePerMinute: 4 });
  const watcher = await watch(used.service.url, `token=${token}`);
  expect((await send(token, '/api/terminals')).status).toBe(200);
  expect((await send(token, '/api/tokens/self')).status).toBe(200);
  const type = async (id: string) => {
    const payload = { action: 'terminal:input', terminalId, data: 'x' };
    watcher.send({ id, type: 'command', payload });
    await watcher.until(() => watcher.frames.some((frame) => frame.id === id));
    return watcher.frames.find((frame) => frame.id === id);
  };
  expect([await type('1'), await type('2'), await type('3')]).toMatchObject([
    { success: true },
    { success: true },
    { success: false, code: 'token-rate', retryAfterMs: 15_000 },
  ]);
  const refused = await send(token, '/api/terminals');
  expect([refused.status, refused.headers.get('retry-after'), await refused.json()]).toMatchObject([
    429,
    '15',
    { code: 'token-rate', retryAfterMs: 15_000 },
  ]);
  expect((await send(token, '/api/tokens/self')).status).toBe(200);
  await watcher.close();
});
