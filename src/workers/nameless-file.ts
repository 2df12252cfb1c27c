import { randomUUID } from 'node:crypto';
import { closeSync, openSync, readSync, unlinkSync, writeSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Opens a new file in the folder, for this user alone, and removes its name: nothing is left of it after the process
 * ends, however it ends. Throws the error of the system.
 */
export function openNameless(folder: string): number {
  const path = join(folder, `spill-${randomUUID()}`);
  const file = openSync(path, 'wx+', 0o600);
  try {
    unlinkSync(path);
  } catch (error) {
    closeSync(file);
    throw error;
  }
  return file;
}

/** Writes all bytes. Loops, since a disk that becomes full takes the beginning and then refuses the remainder. */
export function writeAll(file: number, bytes: Uint8Array, position: number): void {
  for (let at = 0; at < bytes.length; ) {
    const count = writeSync(file, bytes, at, bytes.length - at, position + at);
    if (count === 0) throw new Error('the disk is full');
    at += count;
  }
}

/** Fills `bytes` from the file. Throws if the file ends first. */
export function readAll(file: number, bytes: Uint8Array, position: number): void {
  for (let at = 0; at < bytes.length; ) {
    const count = readSync(file, bytes, at, bytes.length - at, position + at);
    if (count === 0) throw new Error(`the file is ${bytes.length - at} bytes shorter than what was written`);
    at += count;
  }
}
