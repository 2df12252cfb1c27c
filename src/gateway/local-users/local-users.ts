import type { Server, Socket } from 'node:net';
import { isLoopbackAddress } from '../loopback.js';
import type { Endpoint } from './socket-owner.js';

const ROOT = 0;

export interface LocalUsersOptions {
  /** The user that the service runs as; undefined where the system has no such numbers. */
  uid: number | undefined;
  /** The user at `local` of a connection to `remote`; null when no process is there. Absent where the system cannot tell. */
  ownerOf?: ((local: Endpoint, remote: Endpoint) => number | null) | undefined;
}

/** Tells connections of other users of this machine from those of the service's own user and of root. */
export class LocalUsers {
  readonly #options: LocalUsersOptions;
  readonly #known = new WeakMap<Socket, boolean>();

  constructor(options: LocalUsersOptions) {
    this.#options = options;
  }

  /**
   * Looks at each new connection while `isNeeded`: a client that closes its end right after its request has no user
   * any more by the time the request is read.
   */
  follow(server: Server, isNeeded: () => boolean): void {
    server.on('connection', (socket: Socket) => {
      if (isNeeded()) this.isOther(socket);
    });
  }

  /**
   * Whether a connection within this machine is another user's, or nobody's any more. Known once per connection. False
   * for other machines and where the system cannot tell.
   */
  isOther(socket: Socket): boolean {
    const known = this.#known.get(socket);
    if (known !== undefined) return known;
    const isOther = this.#look(socket);
    this.#known.set(socket, isOther);
    return isOther;
  }

  #look({ remoteAddress, remotePort, localAddress, localPort }: Socket): boolean {
    const { uid, ownerOf } = this.#options;
    if (uid === undefined || ownerOf === undefined) return false;
    // Not from a network at all, or already closed: then nobody gets the answer.
    if (remoteAddress === undefined || remotePort === undefined) return false;
    if (localAddress === undefined || localPort === undefined) return true;
    if (!isLoopbackAddress(remoteAddress)) return false;
    const peer = { address: remoteAddress, port: remotePort };
    const owner = ownerOf(peer, { address: localAddress, port: localPort });
    return owner !== uid && owner !== ROOT;
  }
}
