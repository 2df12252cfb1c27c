import { readdirSync, readlinkSync, statSync } from 'node:fs';

/** A file for the sleeping screens of a process. */
export interface OpenSpill {
  /** Path that opens the file, although it no longer has a name. */
  path: string;
  /** In bytes. */
  size: number;
}

/** Returns the spill files that a process has open; each has been removed from its folder. */
export function spillFilesOf(pid: number): OpenSpill[] {
  const folder = `/proc/${pid}/fd`;
  return readdirSync(folder).flatMap((fd) => {
    const path = `${folder}/${fd}`;
    try {
      return /\/spill-[-0-9a-f]+ \(deleted\)$/.test(readlinkSync(path))
        ? [{ path, size: statSync(path).size }]
        : [];
    } catch {
      // The file was closed meanwhile.
      return [];
    }
  });
}

/** Returns the number of bytes that a process has in its spill files. */
export function spilledBytes(pid: number): number {
  return spillFilesOf(pid).reduce((sum, { size }) => sum + size, 0);
}
