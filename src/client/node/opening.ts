import type { ClientRequest } from 'node:http';
import type { Socket } from 'node:net';

/**
 * Watches a request's connection until it is established, TLS included; before that nothing is sent. Ends the request
 * if that takes too long: an address that drops packets would be tried for minutes.
 */
export class Opening {
  #isDone = false;

  constructor(sent: ClientRequest, limitMs: number) {
    sent.once('socket', (socket: Socket & { secureConnecting?: boolean }) => {
      this.#isDone = !socket.connecting && !socket.secureConnecting;
      if (this.#isDone) return;
      const late = () => sent.destroy(new Error(`no connection within ${limitMs} ms`));
      const timer = setTimeout(late, limitMs);
      socket.once('close', () => clearTimeout(timer));
      socket.once(socket.secureConnecting === undefined ? 'connect' : 'secureConnect', () => {
        clearTimeout(timer);
        this.#isDone = true;
      });
    });
  }

  /** Whether the connection is established, so that the request may have been received. */
  get isDone(): boolean {
    return this.#isDone;
  }
}
