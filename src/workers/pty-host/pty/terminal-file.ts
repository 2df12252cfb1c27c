import { closeSync, constants, openSync } from 'node:fs';
import { devNull } from 'node:os';
import { RESERVED_FILES } from '../../../contract/limits.js';
import type { Libc } from './libc.js';
import { errnoOf, SystemRefusal } from './system-refusal.js';

const RLIMIT_NOFILE = 7;
const LIMITS_BYTES = 16;

/**
 * Opens a terminal's file, nonblocking, without making it a controlling terminal. The file is closed on exec, like all
 * that Node opens, so that no program gets another's terminal. Throws SystemRefusal.
 */
export function openTerminalFile(path: string): number {
  try {
    return openSync(path, constants.O_RDWR | constants.O_NOCTTY | constants.O_NONBLOCK);
  } catch (error) {
    throw new SystemRefusal(errnoOf(error), 'pty');
  }
}

/** Throws as {@link openLastTerminalFile} would, for a terminal that exists only once its program runs. */
export function mustHaveRoom(libc: Pick<Libc, 'getrlimit' | 'errno'>): void {
  closeSync(openLastTerminalFile(devNull, libc));
}

/**
 * Opens the last file of a new terminal. Refuses near the limit, since the service and its shards need the remainder.
 * Throws SystemRefusal.
 */
export function openLastTerminalFile(path: string, libc: Pick<Libc, 'getrlimit' | 'errno'>): number {
  const fd = openTerminalFile(path);
  const limits = Buffer.alloc(LIMITS_BYTES);
  const isKnown = libc.getrlimit(RLIMIT_NOFILE, limits) === 0;
  // The system assigns the lowest free descriptor, so all lower ones are taken.
  if (isKnown && BigInt(fd + RESERVED_FILES) < limits.readBigUInt64LE()) return fd;
  const refusal = isKnown ? SystemRefusal.ofName('EMFILE', 'pty') : new SystemRefusal(libc.errno(), 'pty');
  closeSync(fd);
  throw refusal;
}
