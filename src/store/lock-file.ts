import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { writeAll } from './write-all.js';

/** LMDB's lock file, which it maps and writes to in memory. */
const LOCK_FILE = 'lock.mdb';

/** Whole memory pages, at least what LMDB makes it (8,272 bytes for 126 readers). */
const LOCK_FILE_BYTES = 12_288;

/** Unit of a file's `blocks`, whatever the file system's own are. */
const STAT_BLOCK_BYTES = 512;

/**
 * Gives the lock file all of its blocks on the disk, before LMDB opens it: LMDB makes it by setting its length, and on
 * a full disk the first access to a block that is not there ends the process by SIGBUS. Throws ENOSPC.
 */
export function fillLockFile(folder: string): void {
  const fd = openSync(join(folder, LOCK_FILE), constants.O_RDWR | constants.O_CREAT, 0o600);
  try {
    const { size, blocks } = fstatSync(fd);
    if (size >= LOCK_FILE_BYTES && blocks * STAT_BLOCK_BYTES >= size) return;
    // What is there is written over itself, which fills its holes, and zeros behind it.
    const bytes = Buffer.alloc(Math.max(size, LOCK_FILE_BYTES));
    readSync(fd, bytes, 0, size, 0);
    writeAll(fd, bytes, 0);
  } finally {
    closeSync(fd);
  }
}
