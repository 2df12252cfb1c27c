import { writeSync } from 'node:fs';

/**
 * Writes all of the bytes. A write may be short when the disk fills up; the next write then throws the system's error.
 */
export function writeAll(fd: number, bytes: Uint8Array, position: number): void {
  let written = 0;
  while (written < bytes.length)
    written += writeSync(fd, bytes, written, bytes.length - written, position + written);
}
