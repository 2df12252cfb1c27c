import { readdirSync, readlinkSync, statSync } from 'node:fs';

/** A file that a process keeps what sleeps in. */
export interface OpenSpill {
  /** Where it can be reached: it has no name. */
  path: string;
  /** Bytes. */
  size: number;
}

/** Those that a process has open; each is in no folder any more. */
export function spillFilesOf(pid: number): OpenSpill[] {
  const folder = `/proc/${pid}/fd`;
  return readdirSync(folder).flatMap((fd) => {
    const path = `${folder}/${fd}`;
    try {
      return /\/spill-[-0-9a-f]+ \(deleted\)$/.test(readlinkSync(path))
        ? [{ path, size: statSync(path).size }]
        : [];
    } catch {
      // It was closed meanwhile.
      return [];
    }
  });
}

/** Bytes that a process has in such files. */
export function spilledBytes(pid: number): number {
  return spillFilesOf(pid).reduce((sum, { size }) => sum + size, 0);
}
