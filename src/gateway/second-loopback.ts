import { createServer, type Server, type Socket } from 'node:net';

const IPV6_LOOPBACK = '::1';

/** Errors of a machine without IPv6. With any other the port would be left to others unnoticed. */
const NO_IPV6: ReadonlySet<unknown> = new Set(['EADDRNOTAVAIL', 'EAFNOSUPPORT']);

/** Addresses of a server that clients also reach by the name `localhost`. */
const NAMED_LOCALHOST: ReadonlySet<string> = new Set(['127.0.0.1', '0.0.0.0']);

/**
 * Holds a server's port at the IPv6 loopback, too. The name `localhost` leads to both loopbacks, and browsers try that of
 * IPv6 first: another user's program there would show a page that browsers take for ours, and whose requests come to us
 * once that program has stopped.
 */
export class SecondLoopback {
  readonly #accept: (socket: Socket) => void;
  #server: Server | undefined;

  /** @param accept - serves a connection */
  constructor(accept: (socket: Socket) => void) {
    this.#accept = accept;
  }

  /**
   * Listens beside a server, if `localhost` leads to it and the machine has IPv6. Rejects with the system's error, as when
   * another program has the port.
   */
  async open({ host, port }: { host: string; port: number }): Promise<void> {
    this.close();
    if (!NAMED_LOCALHOST.has(host)) return;
    // As in Node's HTTP server: half open, and no delay of small answers.
    const server = createServer({ allowHalfOpen: true, noDelay: true }, this.#accept);
    try {
      await new Promise<void>((resolve, reject) => {
        server.once('error', reject).listen({ host: IPV6_LOOPBACK, port }, resolve);
      });
    } catch (error) {
      if (!NO_IPV6.has((error as NodeJS.ErrnoException).code)) throw error;
      return;
    }
    this.#server = server.unref();
  }

  /** Frees the port at once; connections continue. */
  close(): void {
    this.#server?.close();
    this.#server = undefined;
  }
}
