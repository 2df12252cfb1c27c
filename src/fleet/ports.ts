import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { DomainError } from '../contract/errors.js';
import { PORT_RELEASE_MS } from '../contract/limits.js';

/**
 * Ports that no system gives to outgoing connections: Linux takes ports from 32768 on, macOS and Windows from 49152. A
 * hub keeps its port for the life of its fleet, and finds it free after each pause.
 */
const KEPT_PORTS = { from: 20_000, to: 32_768 };

/** Milliseconds between two looks at a port that is taken. */
const LOOK_MS = 20;

/**
 * Resolves with whether a port is free, or becomes so within PORT_RELEASE_MS: that of a server that was killed does once all
 * its threads have ended, a moment after it has gone. Rejects as {@link isFree}.
 */
export async function becomesFree(host: string, port: number): Promise<boolean> {
  for (const until = performance.now() + PORT_RELEASE_MS; performance.now() < until; await delay(LOOK_MS))
    if (await isFree(host, port)) return true;
  return isFree(host, port);
}

/** Resolves with whether nobody listens on a port of `host`. Rejects with fleet-failed if nothing here may listen there. */
async function isFree(host: string, port: number): Promise<boolean> {
  const server = createServer();
  return new Promise((resolve, reject) => {
    server.once('error', ({ code, message }: NodeJS.ErrnoException) => {
      if (code === 'EADDRINUSE') resolve(false);
      else reject(new DomainError('fleet-failed', `Cannot listen on port ${port} of ${host}: ${message}`));
    });
    server.listen({ host, port, exclusive: true }, () => server.close(() => resolve(true)));
  });
}

/** Resolves with a port of `host` that is free now, and that no outgoing connection will take. Rejects with fleet-failed. */
export async function freePort(host: string): Promise<number> {
  const { from, to } = KEPT_PORTS;
  for (let left = to - from; left > 0; left--) {
    const port = randomInt(from, to);
    if (await isFree(host, port)) return port;
  }
  throw new DomainError('fleet-failed', `No port of ${host} from ${from} to ${to - 1} is free`);
}
