import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { writeAll } from './write-all.js';

/** LMDB's lock file, which LMDB maps and writes to in memory. */
const LOCK_FILE = 'lock.mdb';

/** Whole memory pages, and at least the size that LMDB gives the file (8,272 bytes for 126 readers). */
const LOCK_FILE_BYTES = 12_288;

/** Unit of `blocks` in a file's stat, whatever the block size of the file system is. */
const STAT_BLOCK_BYTES = 512;

/**
 * Gives the lock file all of its blocks on the disk, before LMDB opens it. LMDB creates it by setting its length only,
 * and on a full disk the first access to a missing block would end the process by SIGBUS. Throws ENOSPC.
 */
export function fillLockFile(folder: string): void {
  const fd = openSync(join(folder, LOCK_FILE), constants.O_RDWR | constants.O_CREAT, 0o600);
  try {
    const { size, blocks } = fstatSync(fd);
    if (size >= LOCK_FILE_BYTES && blocks * STAT_BLOCK_BYTES >= size) return;
    // Overwrites the present bytes with themselves, which fills holes, and appends zeros.
    const bytes = Buffer.alloc(Math.max(size, LOCK_FILE_BYTES));
    readSync(fd, bytes, 0, size, 0);
    writeAll(fd, bytes, 0);
  } finally {
    closeSync(fd);
  }
}
