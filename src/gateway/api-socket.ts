import { chmod, rm } from 'node:fs/promises';
import { createServer, type Server, type Socket } from 'node:net';
import type { Logger } from 'pino';
import type { Callers } from './callers.js';
import type { LocalUsers } from './local-users/local-users.js';
import type { App } from './validation.js';

export interface ApiSocketOptions {
  app: App;
  path: string;
  users: Pick<LocalUsers, 'admit'>;
  callers: Pick<Callers, 'meet'>;
  logger: Logger;
}

/**
 * Serves the API on a unix socket, too, whether the service is exposed or not. The socket's folder lets only its owner
 * and root in, so its clients need no token. The kernel names the process at the other end.
 */
export class ApiSocket {
  readonly #options: ApiSocketOptions;
  readonly #server: Server;
  #path: string | undefined;

  constructor(options: ApiSocketOptions) {
    this.#options = options;
    const { app, users, callers } = options;
    // Half open, as in Node's HTTP server: a client may end its side before it has read the answer.
    this.#server = createServer({ allowHalfOpen: true }, (socket: Socket) => {
      users.admit(socket, callers.meet(socket)?.uid);
      app.server.emit('connection', socket);
    });
  }

  /** Path on which it listens; undefined while it does not. */
  get path(): string | undefined {
    return this.#path;
  }

  /**
   * Listens, in place of a killed service whose socket is still there: no other service uses the folders of this one. A
   * failure is logged, and the API is then served on its port alone.
   */
  async open(): Promise<void> {
    const { path, logger } = this.#options;
    try {
      await rm(path, { force: true });
      await new Promise<void>((resolve, reject) => {
        this.#server.once('error', reject).listen(path, () => {
          this.#server.off('error', reject);
          resolve();
        });
      });
      await chmod(path, 0o600);
      this.#path = path;
    } catch (err) {
      logger.warn({ err }, `${path} cannot be opened: the API is served on its port alone`);
      this.close();
    }
  }

  /** Accepts no further connection and removes the socket at once; connections continue until the app is closed. */
  close(): void {
    this.#path = undefined;
    if (this.#server.listening) this.#server.close();
  }
}
