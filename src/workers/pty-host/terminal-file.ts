import { closeSync, constants, openSync } from 'node:fs';
import { RESERVED_FILES } from '../../contract/limits.js';
import type { Libc } from './libc.js';
import { errnoOf, SystemRefusal } from './system-refusal.js';

const RLIMIT_NOFILE = 7;
const LIMITS_BYTES = 16;

/**
 * Opens a terminal's file, nonblocking, as nobody's controlling terminal. Closed at exec, as all that Node opens: no
 * program gets another's terminal. Throws SystemRefusal.
 */
export function openTerminalFile(path: string): number {
  try {
    return openSync(path, constants.O_RDWR | constants.O_NOCTTY | constants.O_NONBLOCK);
  } catch (error) {
    throw new SystemRefusal(errnoOf(error), 'pty');
  }
}

/** The last file of a new terminal: what is left near the limit is for the service and its shards. Throws SystemRefusal. */
export function openLastTerminalFile(path: string, libc: Pick<Libc, 'getrlimit' | 'errno'>): number {
  const fd = openTerminalFile(path);
  const limits = Buffer.alloc(LIMITS_BYTES);
  const isKnown = libc.getrlimit(RLIMIT_NOFILE, limits) === 0;
  // The lowest free descriptor is the one given.
  if (isKnown && BigInt(fd + RESERVED_FILES) < limits.readBigUInt64LE()) return fd;
  const refusal = isKnown ? SystemRefusal.ofName('EMFILE', 'pty') : new SystemRefusal(libc.errno(), 'pty');
  closeSync(fd);
  throw refusal;
}
