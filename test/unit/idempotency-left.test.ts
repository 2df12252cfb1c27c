import { once } from 'node:events';
import { connect } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { DomainError } from '#dist/contract/errors.js';
import { IdempotencyHeaders, useIdempotencyKeys } from '#dist/gateway/idempotency.js';
import { LongPolls } from '#dist/gateway/long-polls.js';
import type { App } from '#dist/gateway/validation.js';
import { gatewayWith } from '../support/gateway.js';
import { newOperations } from '../support/operations.js';

/** Work that a request has begun, and that the test ends when it likes, also after the signal. */
interface Work {
  signal: AbortSignal;
  /** Prevents the answer from being kept. */
  leaveOpen(): void;
  end(answer: string): void;
  fail(error: DomainError): void;
}

let app: App;
let url: URL;
let begun: Array<(work: Work) => void>;
/** Callbacks; each is called when the next request has come, before its key is looked at. */
let arrived: Array<() => void>;

const nextWork = () => new Promise<Work>((resolve) => begun.push(resolve));

beforeEach(async () => {
  begun = [];
  arrived = [];
  app = gatewayWith((routes) => {
    const polls = new LongPolls(routes);
    routes.addHook('preHandler', async () => arrived.shift()?.());
    const keys = useIdempotencyKeys(routes, newOperations());
    routes.post('/work', { schema: { headers: IdempotencyHeaders } }, (request, reply) => {
      const work = async (signal: AbortSignal) => {
        const { leaveOpen } = await keys.begin(request, () => ({}));
        return new Promise<object>((resolve, fail) => {
          begun.shift()?.({ signal, leaveOpen, fail, end: (answer) => resolve({ answer }) });
        });
      };
      return polls.hold(request, reply, work, { everybodyLeft: keys.everybodyLeft(request) });
    });
  });
  url = new URL('/work', await app.listen({ port: 0, host: '127.0.0.1' }));
});
afterEach(() => app.close());

/** Begins work for a client that leaves at once. Resolves when the work has been told so, and before it has ended. */
async function leftWork(): Promise<Work> {
  const begins = nextWork();
  const client = connect(Number(url.port), url.hostname);
  client.write(`POST /work HTTP/1.1\r\nHost: ${url.host}\r\nIdempotency-Key: k\r\nContent-Length: 0\r\n\r\n`);
  const work = await begins;
  const aborted = once(work.signal, 'abort');
  client.destroy();
  await aborted;
  return work;
}

/** Sends a request with the same key. Resolves, once the service has taken it in, with its answer to come. */
async function retry(): Promise<{ answer: Promise<unknown[]> }> {
  const comes = new Promise<void>((resolve) => arrived.push(resolve));
  const answer = fetch(url, { method: 'POST', headers: { 'idempotency-key': 'k' } }).then(
    async (response) => [
      response.status,
      response.headers.get('idempotent-replayed'),
      ((await response.json()) as { answer: string }).answer,
    ],
  );
  await comes;
  for (let turn = 0; turn < 3; turn++) await new Promise(setImmediate);
  return { answer };
}

describe('a retry that comes when everybody has left, and before the work has ended,', () => {
  test('does the work itself, and all later ones wait for that', async () => {
    const left = await leftWork();
    const retries = [await retry(), await retry()];
    const begins = nextWork();
    left.fail(new DomainError('client-gone'));
    const own = await begins;
    expect(own.signal.aborted).toBe(false);
    own.end('done');
    expect(await Promise.all(retries.map(({ answer }) => answer))).toEqual([
      [200, null, 'done'],
      [200, 'true', 'done'],
    ]);
  });

  test('does the rest of the work if the answer leaves some of it open', async () => {
    const left = await leftWork();
    const { answer } = await retry();
    const begins = nextWork();
    left.leaveOpen();
    left.end('one left the line');
    (await begins).end('all');
    expect(await answer).toEqual([200, 'true', 'all']);
  });

  test('gets the answer of work that was done all the same', async () => {
    const left = await leftWork();
    const { answer } = await retry();
    left.end('done');
    expect(await answer).toEqual([200, 'true', 'done']);
  });
});
