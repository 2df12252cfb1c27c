import type { CLibrary } from '../../workers/c-library.js';

/** The process that opened the other end of a unix socket, as of that moment. */
export interface PeerCredentials {
  /** Null for a process that is not visible from here: its container has process numbers of its own. */
  pid: number | null;
  uid: number;
  gid: number;
}

const SOL_SOCKET = 1;
const SO_PEERCRED = 17;
/** Size of struct ucred: pid, uid and gid. */
const UCRED_BYTES = 12;
/** Size of struct pollfd: the descriptor, the events to look for, and the events that have occurred. */
const POLLFD_BYTES = 8;
const POLLFD_EVENTS_AT = 6;
const POLLHUP = 0x10;

/** Asks the kernel for the other end of a unix socket (unix(7)), which takes some microseconds. */
export class PeerOfSocket {
  readonly #library: CLibrary;
  readonly #getsockopt: (fd: number, level: number, name: number, value: Buffer, length: Buffer) => number;
  readonly #poll: (fds: Buffer, count: number, timeoutMs: number) => number;

  constructor(library: CLibrary) {
    this.#library = library;
    this.#getsockopt = library.func('int getsockopt(int fd, int level, int name, void *value, void *length)');
    this.#poll = library.func('int poll(void *fds, unsigned long count, int timeout)');
  }

  /** Throws if the system does not answer. */
  credentials(fd: number): PeerCredentials {
    const value = Buffer.alloc(UCRED_BYTES);
    const length = Buffer.alloc(4);
    length.writeUInt32LE(UCRED_BYTES);
    if (this.#getsockopt(fd, SOL_SOCKET, SO_PEERCRED, value, length) === -1) this.#fail('SO_PEERCRED');
    const pid = value.readInt32LE(0);
    return { pid: pid > 0 ? pid : null, uid: value.readUInt32LE(4), gid: value.readUInt32LE(8) };
  }

  /** Returns whether no process has the other end any more. Throws if the system does not answer. */
  isGone(fd: number): boolean {
    const entry = Buffer.alloc(POLLFD_BYTES);
    entry.writeInt32LE(fd);
    // No event is asked for: the kernel reports POLLHUP by itself, and only once the other end is fully closed.
    if (this.#poll(entry, 1, 0) === -1) this.#fail('poll');
    return (entry.readInt16LE(POLLFD_EVENTS_AT) & POLLHUP) !== 0;
  }

  #fail(call: string): never {
    throw new Error(`${call} of a unix socket failed (error ${this.#library.errno()})`);
  }
}
