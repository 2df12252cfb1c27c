import type { Socket } from 'node:net';

/** Private field of Node: the descriptor, -1 once it is closed and its number may belong to another socket. */
interface SocketInternals {
  _handle?: { fd?: number } | null;
}

/** Returns the descriptor of an open socket; -1 if the socket is closed, or the platform has no descriptors. */
export function descriptorOf(socket: Socket): number {
  return (socket as Socket & SocketInternals)._handle?.fd ?? -1;
}
