import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { onTestFinished } from 'vitest';

/** Resolves with a port that another server holds during the test. */
export async function takenPort(): Promise<number> {
  const server = createServer((socket) => socket.end('not a service')).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}
