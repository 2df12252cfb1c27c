import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { Downloads, type Slices } from '#dist/gateway/send-slices.js';
import { gatewayWith } from '../support/gateway.js';
import { eventually } from '../support/processes.js';

let port: number;
/** Counts of this test only, since a download of another test may end meanwhile. */
let counts: { opened: number; closed: number };
let close: () => Promise<void>;
let sockets: Socket[];

/** Yields more bytes than any socket buffers. */
async function* endless(): Slices {
  const own = counts;
  own.opened++;
  try {
    for (;;) yield Buffer.alloc(64 * 1024, 'x');
  } finally {
    own.closed++;
  }
}

async function* short(): Slices {
  yield Buffer.from('short');
}

async function serve(downloads: Downloads): Promise<void> {
  const gateway = gatewayWith((app) => {
    app.get('/endless', async (_request, reply) => downloads.send(reply, async () => endless()));
    app.get('/held', () => new Promise(() => {}));
    app.get('/short', async (_request, reply) => downloads.send(reply, async () => short()));
  });
  await gateway.listen({ port: 0, host: '127.0.0.1' });
  port = (gateway.server.address() as { port: number }).port;
  close = async () => {
    gateway.server.closeAllConnections();
    await gateway.close();
  };
}

/** Asks for an endless download, after the paths `before` on the same connection, and reads none of it. */
async function stall(...before: string[]): Promise<Socket> {
  const socket = connect(port, '127.0.0.1').pause();
  sockets.push(socket);
  socket.on('error', () => {});
  await once(socket, 'connect');
  const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n\r\n`;
  socket.write([...before, '/endless'].map(get).join(''));
  return socket;
}

const statusOf = async (path: string) => {
  const answer = await fetch(`http://127.0.0.1:${port}${path}`);
  await answer.arrayBuffer();
  return answer.status;
};

beforeEach(() => {
  counts = { opened: 0, closed: 0 };
  sockets = [];
});
afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  await close();
});

it('a download beyond the bound answers 503, until another has ended', async () => {
  await serve(new Downloads(2, 60_000));
  const first = await stall();
  await stall();
  await eventually('both are sent', () => counts.opened === 2);
  expect(await statusOf('/short')).toBe(503);
  first.destroy();
  await eventually('its end is noticed', () => counts.closed === 1);
  expect(await statusOf('/short')).toBe(200);
});

it('a download that its client does not read is aborted, and frees its resources', async () => {
  await serve(new Downloads(1, 200));
  const socket = await stall();
  await eventually('it is broken off', () => counts.closed === 1);
  expect(await statusOf('/short')).toBe(200);
  socket.resume();
  if (!socket.closed) await once(socket, 'close');
});

it('a download that waits for an earlier answer of its connection frees its resources once its client leaves', async () => {
  await serve(new Downloads(2, 60_000));
  const socket = await stall('/held', '/endless');
  await eventually('both are begun', () => counts.opened === 2);
  expect(await statusOf('/short')).toBe(503);
  socket.destroy();
  await eventually('their ends are noticed', () => counts.closed === 2);
  expect(await statusOf('/short')).toBe(200);
});

it('a download that waits for an earlier answer for too long frees its resources', async () => {
  await serve(new Downloads(1, 200));
  await stall('/held');
  await eventually('it is given up', () => counts.closed === 1);
  expect(await statusOf('/short')).toBe(200);
});
