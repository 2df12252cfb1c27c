import type { Server, Socket } from 'node:net';
import { isLoopbackAddress } from '../loopback.js';
import type { Endpoint } from './socket-owner.js';

const ROOT = 0;

export interface LocalUsersOptions {
  /** User id that the service runs as; undefined where the system has no user ids. */
  uid: number | undefined;
  /**
   * Returns the user at `local` of a connection to `remote`; null when no process has it. Absent where the system does
   * not report users.
   */
  ownerOf?: ((local: Endpoint, remote: Endpoint) => number | null) | undefined;
}

/** Distinguishes connections of other users of this machine from connections of the service's own user and of root. */
export class LocalUsers {
  readonly #options: LocalUsersOptions;
  readonly #known = new WeakMap<Socket, boolean>();
  readonly #admitted = new WeakSet<Socket>();

  constructor(options: LocalUsersOptions) {
    this.#options = options;
  }

  /**
   * Takes a connection over the unix socket, which the file system lets only the service's own user and root open. A
   * peer that is known to be another user all the same is not admitted: it is served as over the network.
   *
   * @param uid - user of the peer; undefined where the system does not report it
   */
  admit(socket: Socket, uid: number | undefined): void {
    const own = this.#options.uid;
    const isOther = uid !== undefined && own !== undefined && uid !== own && uid !== ROOT;
    this.#known.set(socket, isOther);
    if (!isOther) this.#admitted.add(socket);
  }

  /** Returns whether the connection was admitted, and so needs no token. */
  isAdmitted(socket: Socket): boolean {
    return this.#admitted.has(socket);
  }

  /**
   * Looks each new connection up while `isNeeded`: a client that closes its end right after its request has no user
   * left by the time the request is read.
   */
  follow(server: Server, isNeeded: () => boolean): void {
    server.on('connection', (socket: Socket) => {
      if (isNeeded()) this.isOther(socket);
    });
  }

  /**
   * Returns whether a connection within this machine belongs to another user, or no longer to any user. Looked up once
   * for each connection. False for other machines and where the system does not report users.
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
    // This is no network connection, or it is closed already, so that nobody gets the answer.
    if (remoteAddress === undefined || remotePort === undefined) return false;
    if (localAddress === undefined || localPort === undefined) return true;
    if (!isLoopbackAddress(remoteAddress)) return false;
    const peer = { address: remoteAddress, port: remotePort };
    const owner = ownerOf(peer, { address: localAddress, port: localPort });
    return owner !== uid && owner !== ROOT;
  }
}
