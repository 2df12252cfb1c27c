import { type StatsFs, statfsSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { DISK_SPARE_BYTES, DISK_SPARE_DIVISOR, RECORDING_SPARE_DIVISOR } from '../contract/limits.js';

/** Of the volume that a folder is on, in bytes. */
export interface Disk {
  /** What this user may still write. */
  free: number;
  total: number;
}

/** Throws what the system says. */
export async function diskOf(folder: string): Promise<Disk> {
  return toDisk(await statfs(folder));
}

/** Bytes of a volume that are left free by what there may be much of: text for the search index. */
export function spareOf({ total }: Disk): number {
  return Math.min(DISK_SPARE_BYTES, Math.floor(total / DISK_SPARE_DIVISOR));
}

/** Throws what the system says. */
export function diskOfSync(folder: string): Disk {
  return toDisk(statfsSync(folder));
}

/** Whether recordings must not grow any more: what is left is for what is smaller. */
export function isFullForRecordings(disk: Disk): boolean {
  return disk.free < spareOf(disk) / RECORDING_SPARE_DIVISOR;
}

function toDisk({ bavail, blocks, bsize }: StatsFs): Disk {
  return { free: bavail * bsize, total: blocks * bsize };
}
