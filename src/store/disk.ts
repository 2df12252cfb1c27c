import { type StatsFs, statfsSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { DISK_SPARE_BYTES, DISK_SPARE_DIVISOR, RECORDING_SPARE_DIVISOR } from '../contract/limits.js';

/** Space of the volume that a folder is on, in bytes. */
export interface Disk {
  /** Bytes that this user may still write. */
  free: number;
  total: number;
}

/** Returns the space of the folder's volume. Throws the system's errors. */
export async function diskOf(folder: string): Promise<Disk> {
  return toDisk(await statfs(folder));
}

/** Returns how many bytes of a volume large amounts of data, such as text for the search index, must leave free. */
export function spareOf({ total }: Disk): number {
  return Math.min(DISK_SPARE_BYTES, Math.floor(total / DISK_SPARE_DIVISOR));
}

/** Returns the space of the folder's volume. Throws the system's errors. */
export function diskOfSync(folder: string): Disk {
  return toDisk(statfsSync(folder));
}

/** Returns whether recordings must stop growing, to leave the remaining space to smaller data. */
export function isFullForRecordings(disk: Disk): boolean {
  return disk.free < spareOf(disk) / RECORDING_SPARE_DIVISOR;
}

function toDisk({ bavail, blocks, bsize }: StatsFs): Disk {
  return { free: bavail * bsize, total: blocks * bsize };
}
