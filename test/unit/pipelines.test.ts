import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { MAX_PIPELINED_ANSWER_BYTES, MAX_PIPELINED_REQUESTS } from '#dist/contract/limits.js';
import { boundPipelines } from '#dist/gateway/pipelines.js';

const REQUESTS = 30_000;
/** More bytes of unread answers than the kernel buffers. */
const KERNEL_BYTES = 16 * 1024 * 1024;
const READ_BYTES = 64 * 1024;

let server: Server;
let client: Socket;
afterEach(() => {
  client?.destroy();
  server?.close();
});

interface Counts {
  parsed: number;
  started: number;
  /** Highest numbers at once: requests in work, and bytes of their answers. */
  inWork: number;
  bytes: number;
}

/** A server that answers `/n` with n bytes, with counters. */
async function listen(answer: (request: IncomingMessage, response: ServerResponse) => void): Promise<Counts> {
  const counts: Counts = { parsed: 0, started: 0, inWork: 0, bytes: 0 };
  const open = new Set<ServerResponse>();
  server = createServer((request, response) => {
    counts.started++;
    open.add(response);
    response.once('close', () => open.delete(response));
    counts.inWork = Math.max(counts.inWork, open.size);
    answer(request, response);
    counts.bytes = Math.max(
      counts.bytes,
      [...open].reduce((sum, each) => sum + each.writableLength, 0),
    );
  });
  boundPipelines(server);
  server.on('request', () => counts.parsed++);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  client = connect((server.address() as AddressInfo).port, '127.0.0.1');
  await once(client, 'connect');
  return counts;
}

const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`;

/** Makes round trips on connections of their own, which gives the server time to do all its work. */
async function roundTrips(count: number): Promise<void> {
  const { port } = server.address() as AddressInfo;
  for (let index = 0; index < count; index++) await (await fetch(`http://127.0.0.1:${port}/1`)).text();
}

describe('a client that pipelines', () => {
  test('and reads nothing has few requests in work, few that wait, and few buffered bytes', async () => {
    const body = Buffer.alloc(MAX_PIPELINED_ANSWER_BYTES / 4, 'x');
    const counts = await listen((_request, response) => void setImmediate(() => response.end(body)));
    client.pause().write(get('/').repeat(REQUESTS));
    await roundTrips(300);
    // One round trip may be in work beside the client's requests.
    expect(counts.inWork).toBeLessThanOrEqual(MAX_PIPELINED_REQUESTS + 1);
    expect(counts.bytes).toBeLessThan(
      MAX_PIPELINED_ANSWER_BYTES + MAX_PIPELINED_REQUESTS * (body.length + 1_000),
    );
    expect(counts.started).toBeLessThan(300 + KERNEL_BYTES / body.length);
    expect(counts.parsed - counts.started).toBeLessThan(READ_BYTES / get('/').length + 1);
  });

  test('and reads gets each answer, in order', async () => {
    const counts = await listen((request, response) => {
      // Some requests are answered at once, and some after the requests behind them.
      if (Number(request.url?.slice(1)) % 3 === 0) setImmediate(() => response.end(`[${request.url}]`));
      else response.end(`[${request.url}]`);
    });
    const sent = Array.from({ length: 5_000 }, (_, index) => `/${index}`);
    let text = '';
    client.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
    });
    client.write(sent.map(get).join(''));
    const last = `[${sent.at(-1)}]`;
    while (!text.endsWith(last)) await once(client, 'data');
    expect([...text.matchAll(/\[(\/\d+)\]/g)].map(([, path]) => path)).toEqual(sent);
    expect(counts.inWork).toBeLessThanOrEqual(MAX_PIPELINED_REQUESTS);
  });

  test('bodies gets each body read', async () => {
    await listen((request, response) => {
      let length = 0;
      request.on('data', (chunk: Buffer) => {
        length += chunk.length;
      });
      request.on('end', () => response.end(`[${length}]`));
    });
    const lengths = Array.from({ length: 40 }, (_, index) => index * 10_007);
    const post = (length: number) =>
      `POST / HTTP/1.1\r\nHost: x\r\nContent-Length: ${length}\r\n\r\n${'b'.repeat(length)}`;
    let text = '';
    client.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
    });
    client.write(lengths.map(post).join(''));
    while (!text.includes(`[${lengths.at(-1)}]`)) await once(client, 'data');
    expect([...text.matchAll(/\[(\d+)\]/g)].map(([, length]) => Number(length))).toEqual(lengths);
  });

  test('and leaves has its waiting requests dropped', async () => {
    const first: ServerResponse[] = [];
    const counts = await listen((_request, response) => void first.push(response));
    const connected = once(server, 'request');
    client.write(get('/').repeat(100));
    const [{ socket }] = (await connected) as [IncomingMessage];
    while (counts.parsed < 100) await once(server, 'request');
    client.destroy();
    // The server no longer reads from this connection: only a failed answer shows that it is closed.
    const closed = new Promise((resolve) => socket.once('close', resolve));
    const [head] = first;
    head?.on('error', () => {}).end('x'.repeat(KERNEL_BYTES));
    await closed;
    for (const response of first) response.end();
    for (let turn = 0; turn < 10; turn++) await new Promise(setImmediate);
    expect([counts.started, counts.parsed]).toEqual([MAX_PIPELINED_REQUESTS, 100]);
  });

  test('and leaves has each of its responses closed once, and none that was answered before', async () => {
    const responses: ServerResponse[] = [];
    const closed: string[] = [];
    await listen((request, response) => {
      responses.push(response);
      response.once('close', () => {
        closed.push(String(request.url));
        response.on('close', () => closed.push(`${request.url} again`));
      });
      // The third is answered, but its answer is held back until those before it are answered.
      if (request.url === '/answered' || request.url === '/3') response.end('x');
    });
    client.write(get('/answered'));
    await once(client, 'data');
    client.write(['/1', '/2', '/3', '/4'].map(get).join(''));
    while (responses.length < 5) await once(server, 'request');
    expect(closed).toEqual(['/answered']);
    const [{ req }] = responses as [ServerResponse];
    const gone = once(req.socket, 'close');
    client.destroy();
    await gone;
    await new Promise(setImmediate);
    expect(closed.toSorted()).toEqual(['/1', '/2', '/3', '/4', '/answered']);
    expect(responses.map(({ destroyed }) => destroyed)).toEqual(responses.map(() => true));
  });

  test('or keeps its connection gathers no listeners on it', async () => {
    let listeners: number[] = [];
    await listen((request, response) => {
      listeners = [...listeners, request.socket.listenerCount('close')];
      response.end('x');
    });
    for (let count = 0; count < 20; count++) {
      client.write(get('/'));
      await once(client, 'data');
    }
    expect(new Set(listeners.slice(1))).toEqual(new Set([listeners[0]]));
  });
});
