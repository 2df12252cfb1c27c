import { isIPv4 } from 'node:net';

/** One end of a TCP connection. */
export interface Endpoint {
  /** As Node spells it: IPv4, IPv6, or IPv4 mapped into IPv6. */
  address: string;
  port: number;
}

/** Finds the user who has the socket at `local` of a connection to `remote`, both on this machine. */
export interface SocketOwner {
  /**
   * Returns the user id, or null when no process has that socket (any more). Throws when the system does not answer.
   */
  find(local: Endpoint, remote: Endpoint): number | null;
}

/** A socket of the kernel's tables. */
export interface SocketRow {
  /** As in the kernel's tcp_states.h. */
  state: number;
  uid: number;
  inode: number;
}

/**
 * ESTABLISHED, FIN_WAIT1 and FIN_WAIT2: connected, or half closed by its own side. Only the client's socket of a
 * connection that the service still serves is in one of these states.
 */
const CONNECTED: ReadonlySet<number> = new Set([1, 4, 5]);

/**
 * Returns the user of a row, or null. A socket without an inode belongs to no process: rows of closed and of waiting
 * sockets name user 0, which is not their owner.
 */
export function userOf({ state, uid, inode }: SocketRow): number | null {
  return CONNECTED.has(state) && inode !== 0 ? uid : null;
}

/**
 * Returns the IPv4 address of a mapped address, and other addresses unchanged. The kernel lists a mapped connection
 * under IPv4.
 */
export function unmapped(address: string): string {
  const mapped = address.toLowerCase().replace(/^::ffff:/, '');
  return isIPv4(mapped) ? mapped : address;
}

/** Returns the 4 or 16 bytes of an address. Throws if the text is no address. */
export function addressBytes(address: string): Buffer {
  if (isIPv4(address)) return Buffer.from(address.split('.').map(Number));
  // The scope (`%eth0`) is not part of the address.
  const [head = '', tail] = (address.split('%', 1)[0] ?? '').split('::');
  const front = groupsOf(head);
  const back = tail === undefined ? [] : groupsOf(tail);
  const gap = 8 - front.length - back.length;
  if (gap < 0 || (tail === undefined && gap > 0)) throw new Error(`${address} is not an IP address`);
  const bytes = Buffer.alloc(16);
  for (const [index, group] of [...front, ...Array(gap).fill(0), ...back].entries()) {
    bytes.writeUInt16BE(group, index * 2);
  }
  return bytes;
}

function groupsOf(text: string): number[] {
  return text === '' ? [] : text.split(':').map((group) => Number.parseInt(group, 16));
}
