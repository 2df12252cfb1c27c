import type { IncomingHttpHeaders } from 'node:http';
import type { Socket } from 'node:net';
import { lineageOf, type ProcessIdentity, terminalIn } from '../actors/processes/lineage.js';
import type { ProcessTable } from '../actors/processes/process-table.js';
import type { Terminals } from '../actors/terminals.js';
import type { Caller } from '../contract/caller.js';
import { TERMINAL_HEADER } from '../contract/headers.js';
import { descriptorOf } from './descriptor.js';
import type { PeerCredentials, PeerOfSocket } from './local-users/peer-credentials.js';

export interface CallersOptions {
  table: Pick<ProcessTable, 'identify'>;
  terminals: Pick<Terminals, 'running' | 'starting'>;
  /** Undefined where the system does not report the other end of a unix socket. */
  peers: Pick<PeerOfSocket, 'credentials' | 'isGone'> | undefined;
  onFault: (error: unknown) => void;
}

/** The process at the other end of a connection, with its lineage as of the moment it connected. */
interface Peer {
  pid: number;
  lineage: ProcessIdentity[];
}

/** The parts of a request that name its sender. */
interface Sent {
  socket: Socket;
  headers: IncomingHttpHeaders;
}

/** A client over TCP that names no terminal: nothing can be known of it. */
const UNKNOWN: Caller = { terminalId: null, pid: null, verified: false, via: 'none' };

/** Knows which terminal a request comes from. */
export class Callers {
  readonly #options: CallersOptions;
  readonly #peers = new WeakMap<Socket, Peer>();

  constructor(options: CallersOptions) {
    this.#options = options;
  }

  /**
   * Returns the credentials of the process that has opened a connection of the unix socket, if the system reports them.
   * Called once for each connection, as it is accepted: the process may end, and its pid be used again, before a request
   * is read.
   */
  meet(socket: Socket): PeerCredentials | undefined {
    const { peers, table, onFault } = this.#options;
    const fd = descriptorOf(socket);
    if (!peers || fd < 0) return undefined;
    try {
      const credentials = peers.credentials(fd);
      const { pid } = credentials;
      if (pid === null) return credentials;
      const lineage = lineageOf(pid, table.identify);
      // Checked last: had the peer ended before, its pid might have been that of another process.
      if (lineage.length > 0 && !peers.isGone(fd)) this.#peers.set(socket, { pid, lineage });
      return credentials;
    } catch (error) {
      onFault(error);
      return undefined;
    }
  }

  /** Resolves with the terminal that a request comes from, as far as it is known. */
  async of(sent: Sent): Promise<Caller> {
    const caller = this.now(sent);
    if (caller.via !== 'none' || (caller.pid === null && sent.headers[TERMINAL_HEADER] === undefined))
      return caller;
    // A program may ask before the service has learnt that the program was started.
    await this.#options.terminals.starting.settled();
    return this.now(sent);
  }

  /** Resolves with the terminal that the process at the other end runs in, as the kernel knows it; null if none is known. */
  async terminalOf(socket: Socket): Promise<string | null> {
    return (await this.of({ socket, headers: {} })).terminalId;
  }

  /** Returns the terminal that a request comes from, as far as it is known by now: a start may not be reported yet. */
  now({ socket, headers }: Sent): Caller {
    const peer = this.#peers.get(socket);
    // This runs for each key that a client sends, and a search of all terminals would be most of a key's cost.
    if (!peer && headers[TERMINAL_HEADER] === undefined) return UNKNOWN;
    const running = this.#options.terminals.running();
    const pid = peer?.pid ?? null;
    const own = peer ? terminalIn(peer.lineage, running, this.#options.table.identify) : null;
    const named = running.find(({ id }) => id === headers[TERMINAL_HEADER])?.id;
    if (named !== undefined) return { terminalId: named, pid, verified: named === own, via: 'header' };
    return { terminalId: own, pid, verified: own !== null, via: own === null ? 'none' : 'socket' };
  }
}
