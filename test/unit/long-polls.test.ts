import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { pino } from 'pino';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { configOf } from '#dist/config/settings.js';
import type { DomainError } from '#dist/contract/errors.js';
import type { BatchRunAnswer } from '#dist/contract/run.js';
import type { WaitAnswer } from '#dist/contract/wait.js';
import { useIdempotencyKeys } from '#dist/gateway/idempotency.js';
import { LocalUsers } from '#dist/gateway/local-users/local-users.js';
import { LongPolls } from '#dist/gateway/long-polls.js';
import { registerBatchRun } from '#dist/gateway/routes/batch-run.js';
import { registerWait } from '#dist/gateway/routes/wait.js';
import { createGateway } from '#dist/gateway/server.js';
import type { App } from '#dist/gateway/validation.js';
import { openAccess } from '../support/open-access.js';
import { newOperations } from '../support/operations.js';
import { anonymousWriters } from '../support/writers.js';

/** Work that a route has begun, and that the test ends. */
interface Work {
  signal: AbortSignal;
  end(): void;
}

let app: App;
let url: URL;
let logged: string[];
/** Callbacks; each gets the next work that begins. */
let begun: Array<(work: Work) => void>;

const config = configOf({}, { platform: 'linux', cores: 2 });
if (typeof config === 'string') throw new Error(config);

/** Resolves when the test ends the work; rejects with the signal's reason, as waits and runs do. */
function work<Answer>(signal: AbortSignal): Promise<Answer> {
  return new Promise((resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    begun.shift()?.({ signal, end: () => resolve({ results: [] } as Answer) });
  });
}

const nextWork = () => new Promise<Work>((resolve) => begun.push(resolve));

beforeEach(async () => {
  logged = [];
  begun = [];
  app = createGateway({
    access: openAccess(),
    users: new LocalUsers({ uid: undefined }),
    config: () => config,
    instanceId: 'i-1',
    logger: pino({ level: 'warn' }, { write: (line: string) => void logged.push(line) }),
    registerWebSocket: () => {},
    registerRoutes: (routes) => {
      const polls = new LongPolls(routes);
      const keys = useIdempotencyKeys(routes, newOperations());
      registerWait(routes, { wait: (_id, _body, signal) => work<WaitAnswer>(signal) }, polls);
      const runs = {
        newId: () => 'run_000000000000',
        batch: (_body: unknown, _plan: object, _by: object, signal: AbortSignal) =>
          work<BatchRunAnswer>(signal),
      };
      const everywhere = {
        select: async () => [],
        run: (_body: object, _selected: object, own: Promise<BatchRunAnswer>) => own,
      };
      registerBatchRun(routes, runs, { select: () => [] }, polls, keys, anonymousWriters(), everywhere);
    },
  });
  url = new URL(await app.listen({ port: 0, host: '127.0.0.1' }));
});
afterEach(() => app.close());

const WAIT = ['/api/terminals/t/wait', { until: 'exit' }] as const;
const RUN = ['/api/terminals/batch/run', { terminalIds: ['t'], command: 'x' }] as const;

async function send(request: typeof WAIT | typeof RUN, headers = ''): Promise<Socket> {
  const socket = connect(Number(url.port), url.hostname);
  await once(socket, 'connect');
  socket.write(textOf(request, headers));
  return socket;
}

function textOf([path, body]: typeof WAIT | typeof RUN, headers = ''): string {
  const text = JSON.stringify(body);
  return (
    `POST ${path} HTTP/1.1\r\nHost: ${url.host}\r\nContent-Type: application/json\r\n${headers}` +
    `Content-Length: ${text.length}\r\n\r\n${text}`
  );
}

/** Resolves once the server has no connections. */
async function noConnection(): Promise<void> {
  const count = () => new Promise<number>((resolve) => app.server.getConnections((_error, n) => resolve(n)));
  while ((await count()) > 0) await new Promise((resolve) => setImmediate(resolve));
}

test.each([WAIT, RUN])('%s ends after its client has left, and nothing is logged', async (...request) => {
  const begins = nextWork();
  const socket = await send(request as unknown as typeof WAIT);
  const { signal } = await begins;
  expect(signal.aborted).toBe(false);
  const aborted = once(signal, 'abort');
  socket.destroy();
  await aborted;
  expect((signal.reason as DomainError).code).toBe('client-gone');
  await noConnection();
  expect(logged).toEqual([]);
});

test('all that a client has pipelined ends after it has left, also what none has answered yet', async () => {
  const DROPPED = ['/api/terminals/batch/run', { ...RUN[1], whenLeft: 'drop' }] as const;
  const begin = Array.from({ length: 4 }, nextWork);
  const socket = await send(WAIT);
  socket.write(textOf(WAIT) + textOf(RUN) + textOf(DROPPED, 'Idempotency-Key: k\r\n'));
  const works = await Promise.all(begin);
  const aborted = works.map(({ signal }) => once(signal, 'abort'));
  socket.destroy();
  await Promise.all(aborted);
  expect(works.map(({ signal }) => (signal.reason as DomainError).code)).toEqual(
    works.map(() => 'client-gone'),
  );
  await noConnection();
  expect(logged).toEqual([]);
});

test('an answered request is not ended by the close of its connection', async () => {
  const begins = nextWork();
  const socket = await send(RUN);
  const { signal, end } = await begins;
  end();
  await once(socket, 'data');
  socket.destroy();
  await noConnection();
  expect(signal.aborted).toBe(false);
});

test('with an Idempotency-Key the work goes on without its client, and a retry joins its run', async () => {
  const begins = nextWork();
  const socket = await send(RUN, 'Idempotency-Key: k\r\n');
  const { signal, end } = await begins;
  socket.destroy();
  await noConnection();
  expect(signal.aborted).toBe(false);
  end();
  const joins = nextWork();
  const retry = await send(RUN, 'Idempotency-Key: k\r\n');
  (await joins).end();
  const [answer] = (await once(retry, 'data')) as [Buffer];
  expect(answer.toString()).toMatch(/^HTTP\/1\.1 200 .*idempotent-replayed: true.*\{"results":\[\]\}$/s);
  retry.destroy();
});

test('when the service stops, all end with a 503, and the stop waits for none', async () => {
  const polls = [];
  for (const [request, headers] of [
    [WAIT, ''],
    [RUN, ''],
    [RUN, 'Idempotency-Key: k\r\n'],
  ] as const) {
    const begins = nextWork();
    const socket = await send(request, headers);
    await begins;
    polls.push(once(socket, 'data'));
  }
  await app.close();
  for (const [answer] of (await Promise.all(polls)) as [Buffer][]) {
    expect(answer.toString()).toMatch(
      /^HTTP\/1\.1 503 .*\{"error":"Service is shutting down","code":"shutting-down".*\}$/s,
    );
  }
});
