import { writeSync } from 'node:fs';

/**
 * Writes all of the bytes. A write may be a short one, when the disk is full in the midst of it: the next one throws
 * what the system says.
 */
export function writeAll(fd: number, bytes: Uint8Array, position: number): void {
  let written = 0;
  while (written < bytes.length)
    written += writeSync(fd, bytes, written, bytes.length - written, position + written);
}
