import type { IncomingHttpHeaders, IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';
import { isUpgrade } from './token.js';

/** Returns whether a request asks for a WebSocket. Only a GET can, so that no request with a body is taken for a handshake. */
export function asksForWebSocket({ method, headers }: { method?: string; headers: IncomingHttpHeaders }) {
  return method === 'GET' && isUpgrade(headers);
}

/**
 * Sorts the requests that Node takes for upgrades once anything listens for these: each request with the header, whatever
 * protocol it offers. Call it once the listener for WebSockets is registered.
 *
 * - Clients of HTTP/2, as those of Java, offer `h2c` with their first request. The offer is ignored, as HTTP allows.
 * - Behind a request that has no answer yet, the connection is broken: the handshake has no response of its own then, and
 *   a connection without a parser or a WebSocket would stay open for ever, also over the stop of the service.
 *
 * @param isBusy - returns whether requests of the connection wait for their answers
 */
export function sortUpgrades(server: Server, isBusy: (socket: Socket) => boolean): void {
  const listeners = server.listeners('upgrade');
  // Node itself then serves them as plain requests.
  if (listeners.length === 0) return;
  server.removeAllListeners('upgrade');
  server.on('upgrade', (request: IncomingMessage, socket: Socket, head: Buffer) => {
    if (isBusy(socket)) socket.destroy();
    else if (!asksForWebSocket(request)) serveAgain(server, request, socket, head);
    else for (const listener of listeners) listener.call(server, request, socket, head);
  });
}

/** Serves a request as if it had offered no other protocol. Node has no parser on the connection any more. */
function serveAgain(server: Server, request: IncomingMessage, socket: Socket, head: Buffer): void {
  socket.unshift(Buffer.concat([Buffer.from(headWithoutOffer(request), 'latin1'), head]));
  server.emit('connection', socket);
}

/** Returns the request line and the headers as they were sent, without the offer. */
function headWithoutOffer({ method, url, httpVersion, rawHeaders }: IncomingMessage): string {
  let text = `${method} ${url} HTTP/${httpVersion}\r\n`;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? '';
    const value = rawHeaders[at + 1] ?? '';
    const kept = name.toLowerCase() === 'connection' ? withoutUpgrade(value) : value;
    if (name.toLowerCase() !== 'upgrade') text += `${name}: ${kept}\r\n`;
  }
  return `${text}\r\n`;
}

function withoutUpgrade(connection: string): string {
  const options = connection.split(',').map((each) => each.trim());
  return options.filter((each) => each.toLowerCase() !== 'upgrade').join(', ');
}
