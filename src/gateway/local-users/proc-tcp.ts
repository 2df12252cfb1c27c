import { readFileSync } from 'node:fs';
import { endianness } from 'node:os';
import { addressBytes, type Endpoint, type SocketOwner, unmapped, userOf } from './socket-owner.js';

/** Columns of /proc/net/tcp, see proc(5): both ends, the state, the user and the inode. */
const LOCAL = 1;
const REMOTE = 2;
const STATE = 3;
const UID = 7;
const INODE = 9;

const MAPPED_PREFIX = Buffer.from('00000000000000000000ffff', 'hex');

/** Reads the kernel's tables of all TCP sockets: slow with thousands of connections, but available on every Linux. */
export class ProcTcp implements SocketOwner {
  readonly #read: (path: string) => string;

  constructor(read = (path: string) => readFileSync(path, 'latin1')) {
    this.#read = read;
  }

  find(local: Endpoint, remote: Endpoint): number | null {
    for (const path of ['/proc/net/tcp', '/proc/net/tcp6']) {
      const found = rowOf(this.#table(path), [local, remote], path.endsWith('6'));
      if (found) return userOf(found);
    }
    return null;
  }

  /** A machine without IPv6 has no table for it. */
  #table(path: string): string {
    try {
      return this.#read(path);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '';
      throw error;
    }
  }
}

function rowOf(table: string, ends: [Endpoint, Endpoint], isWide: boolean) {
  const [local, remote] = ends.map((end) => spelled(end, isWide));
  for (const line of table.split('\n')) {
    // Most lines belong to other connections, so the cheap check comes first.
    if (local === undefined || !line.includes(local)) continue;
    const fields = line.trim().split(/\s+/);
    if (fields[LOCAL] !== local || fields[REMOTE] !== remote) continue;
    const state = Number.parseInt(fields[STATE] ?? '', 16);
    return { state, uid: Number(fields[UID]), inode: Number(fields[INODE]) };
  }
  return null;
}

/**
 * Returns an endpoint as the tables spell it: words of four bytes in the machine's byte order, in capitals. Undefined
 * for an IPv6 address in the table of IPv4.
 */
function spelled({ address, port }: Endpoint, isWide: boolean): string | undefined {
  const bytes = addressBytes(unmapped(address));
  if (!isWide && bytes.length !== 4) return undefined;
  const whole = isWide && bytes.length === 4 ? Buffer.concat([MAPPED_PREFIX, bytes]) : bytes;
  if (endianness() === 'LE') whole.swap32();
  return `${whole.toString('hex')}:${port.toString(16).padStart(4, '0')}`.toUpperCase();
}
