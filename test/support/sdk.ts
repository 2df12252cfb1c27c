import { once } from 'node:events';
import { createServer, type Server, type Socket, connect as tcp } from 'node:net';
import { afterEach } from 'vitest';
import { AutoTerminal } from '#dist/client/index.js';

const clients: AutoTerminal[] = [];
const servers: Server[] = [];

/** Returns the options by which a client finds the service of a home. */
export const ofHome = (home: string) => ({ env: { AUTO_TERMINAL_HOME: home } });

/** Closes the clients and proxies of each test after it. */
export function closeAfterEach(): void {
  afterEach(() => {
    for (const client of clients.splice(0)) client.close();
    for (const server of servers.splice(0)) server.close();
  });
}

/** Connects a client that {@link closeAfterEach} closes. */
export function connectTo(options: Parameters<typeof AutoTerminal.connect>[0]): AutoTerminal {
  const client = AutoTerminal.connect(options);
  clients.push(client);
  return client;
}

/**
 * Starts a proxy to the service that cuts the connection of the first answers, once the service has received the
 * requests.
 */
export async function cuttingProxy(
  target: string,
  cuts: number,
): Promise<{ url: string; cut: () => number }> {
  const { hostname, port } = new URL(target);
  let done = 0;
  const server = createServer((client: Socket) => {
    const service = tcp(Number(port), hostname);
    client.on('error', () => {}).pipe(service);
    service.on('error', () => {});
    service.once('data', (head) => {
      if (done < cuts) {
        done++;
        client.destroy();
        service.destroy();
        return;
      }
      client.write(head);
      service.pipe(client);
    });
    client.on('close', () => service.destroy());
  });
  servers.push(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (typeof address !== 'object' || !address) throw new Error('the proxy has no port');
  return { url: `http://127.0.0.1:${address.port}`, cut: () => done };
}
