import { Agent } from 'node:http';
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Terminal } from '#dist/contract/terminal.js';
import type { OpenApiDocument } from '../support/conformance.js';
import { seeded } from '../support/fuzz/random.js';
import { RequestMaker, type Route, routesOf } from '../support/fuzz/requests.js';
import { type Answer, createApi, type RawRequest } from '../support/http.js';
import { eventually } from '../support/processes.js';
import { startService, within } from '../support/service.js';

const REQUESTS = 120;
const IN_FLIGHT = 8;
const ANSWER_DEADLINE_MS = 20_000;

const seed = Number(process.env.AUTO_TERMINAL_FUZZ_SEED ?? Date.now() % 2 ** 32);

/** Reads its input, ignores it, and cannot be interrupted by it. */
const SINK = { command: ['sh', '-c', 'stty raw -echo; exec cat > /dev/null'], index: false };

/** The only 500 that a client can cause: a terminal that cannot be started, because of its cwd or program. */
const SPAWN_FAULT =
  /^(cwd is not a folder: |shell not found: |shell is not executable: )|longer than the system accepts$/;

const agent = new Agent({ keepAlive: true, maxSockets: IN_FLIGHT });
// sh reads no user files: terminals are closed while they start, and bash would leave its locks behind.
const service = await startService({ env: { SHELL: '/bin/sh' } });
const api = createApi(service.url, { agent });
const { body: document } = await api.get<OpenApiDocument>('/openapi.json');
const sinks = await Promise.all(
  [1, 2, 3].map(async () => (await api.post<Terminal>('/api/terminals', SINK)).body.id),
);
/** Terminal whose program has exited, so that a stream of its output ends. */
const { id: over } = (await api.post<Terminal>('/api/terminals', { command: ['true'] })).body;
await eventually('its program has ended', async () => {
  return (await api.get<Terminal>(`/api/terminals/${over}`)).body.status === 'exited';
});
const STREAM = '/api/terminals/{id}/stream';

/** Returns the request without `follow=true`: an answer that follows the audit log does not end. */
function ended(request: RawRequest): RawRequest {
  return { ...request, path: request.path.replace(/\bfollow=true\b/, 'follow=false') };
}

/** Number of answers by the first digit of their status. */
const answered = new Map<string, number>();

afterAll(async () => {
  agent.destroy();
  await service.stop();
});

/** A fleet that a request makes listens on a free port of this machine alone, whatever earlier requests have set. */
beforeEach(async () => {
  const { status } = await api.patch('/api/settings', {
    fleet: { port: 0, listen: '127.0.0.1', serverPath: null },
  });
  expect(status).toBe(200);
});

/** Each route begins without the terminals that another route has created. */
afterEach(async () => {
  const { body } = await api.get<{ terminals: Terminal[] }>('/api/terminals?status=all');
  const others = body.terminals.filter(({ id }) => ![...sinks, over].includes(id));
  await Promise.all(others.map(({ id }) => api.delete(`/api/terminals/${id}`)));
});

function describeRequest({ method, path, headers, body }: RawRequest): string {
  return `seed ${seed}: ${method} ${path.slice(0, 300)} ${JSON.stringify(headers ?? {})} ${String(body ?? '').slice(0, 600)}`;
}

/**
 * Throws if the answer is a fault: an error without a text, or a status of 500 and above that no request may cause.
 * {@link createApi} compares the answer with the OpenAPI document.
 */
function checkAnswer(route: Route, { status, body }: Answer<string>): void {
  if (status < 400) return;
  const { error } = JSON.parse(body) as { error: unknown };
  expect(error).toEqual(expect.any(String));
  expect(error).not.toBe('');
  if (status < 500) return;
  // Requests to any other machine than this one.
  if (status === 501 && route.template.startsWith('/api/fleet/')) return;
  expect([status, `${route.method} ${route.template}`]).toEqual([500, 'POST /api/terminals']);
  expect(error).toMatch(SPAWN_FAULT);
}

async function send(route: Route, request: RawRequest): Promise<void> {
  try {
    const answer = await within(ANSWER_DEADLINE_MS, api.raw(request), () => 'no answer');
    const kind = `${answer.status}`.charAt(0);
    answered.set(kind, (answered.get(kind) ?? 0) + 1);
    checkAnswer(route, answer);
  } catch (cause) {
    throw new Error(`${describeRequest(request)}\n${String(cause)}`, { cause });
  }
}

describe(`${REQUESTS} requests of a hostile or careless client`, () => {
  test.each(routesOf(document).map((route): [string, Route] => [`${route.method} ${route.template}`, route]))(
    '%s',
    async (name, route) => {
      const maker = new RequestMaker(
        seeded(seed + [...name].reduce((sum, char) => sum + char.charCodeAt(0), 0)),
        document,
        route.template === STREAM ? [over] : sinks,
      );
      const requests = Array.from({ length: REQUESTS }, () => ended(maker.make(route)));
      const workers = Array.from({ length: IN_FLIGHT }, async () => {
        for (let next = requests.pop(); next; next = requests.pop()) await send(route, next);
      });
      await Promise.all(workers);
    },
  );

  test('reach the work behind the validation as well as the validation', () => {
    expect(answered.get('2')).toBeGreaterThan(REQUESTS * 10);
    expect(answered.get('4')).toBeGreaterThan(REQUESTS * 10);
  });

  test('and the service is as healthy as before', async () => {
    expect((await api.get<{ status: string }>('/health')).body.status).toBe('ok');
    for (const id of sinks) expect((await api.get(`/api/terminals/${id}`)).status).toBe(200);
    const { body } = await api.post<Terminal>('/api/terminals', { command: ['cat'] });
    await api.post(`/api/terminals/${body.id}/input`, { data: 'still here\r' });
    await eventually('what is typed is printed', async () => {
      const output = await api.get<{ raw: string }>(`/api/terminals/${body.id}/output`);
      return output.body.raw.includes('still here');
    });
  });
});
