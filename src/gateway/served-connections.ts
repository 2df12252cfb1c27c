import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Server, Socket } from 'node:net';
import { asksForWebSocket } from './upgrades.js';

/** The connections of a server, and the number of requests under way on each. */
export class ServedConnections {
  readonly #all = new Set<Socket>();
  /** Requests under way, by connection. A WebSocket counts for as long as it is open. */
  readonly #atWork = new Map<Socket, number>();

  /** @param server - it must not listen yet */
  constructor(server: Server) {
    server.on('connection', (socket: Socket) => {
      this.#all.add(socket);
      socket.once('close', () => {
        this.#all.delete(socket);
        this.#atWork.delete(socket);
      });
    });
    server.on('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
      this.#count(socket, 1);
      response.once('close', () => this.#count(socket, -1));
    });
    // While nothing listens for upgrades, Node answers them as plain requests, and must continue to do so.
    server.once('listening', () => {
      if (server.listenerCount('upgrade') > 0)
        server.on('upgrade', (request: IncomingMessage) => {
          // Other upgrades are served as plain requests.
          if (asksForWebSocket(request)) this.#count(request.socket, 1);
        });
    });
  }

  /** Ends the connections for which `isServed` returns false, at once, except `spared`. */
  dropUnserved(isServed: (socket: Socket) => boolean, spared?: Socket): void {
    for (const socket of this.#all) if (socket !== spared && !isServed(socket)) socket.destroy();
  }

  /** Ends the connections with a request under way or an open WebSocket, at once, except `spared`. */
  dropAtWork(spared?: Socket): void {
    for (const socket of this.#atWork.keys()) if (socket !== spared) socket.destroy();
  }

  #count(socket: Socket, more: number): void {
    const requests = (this.#atWork.get(socket) ?? 0) + more;
    if (requests === 0 || !this.#all.has(socket)) this.#atWork.delete(socket);
    else this.#atWork.set(socket, requests);
  }
}
