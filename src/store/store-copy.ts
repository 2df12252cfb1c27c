import { copyFile, mkdir, open, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { diskOf, spareOf } from './disk.js';
import { DATA_FILE } from './environment.js';

/** Returns the folder of a store's copy: an environment of its own, as of the last clean stop. */
export function copyFolderOf(folder: string): string {
  return `${folder}.copy`;
}

/**
 * Copies the data file of a closed store; the copy before stays until the new copy is on the disk. Returns null, or why
 * there is no new copy, if the disk has too little room for it. Throws the system's errors.
 */
export async function keepCopy(folder: string): Promise<string | null> {
  const data = join(folder, DATA_FILE);
  const { size } = await stat(data);
  const disk = await diskOf(folder);
  if (disk.free - size < spareOf(disk)) return 'the disk is nearly full';
  const copy = copyFolderOf(folder);
  await mkdir(copy, { recursive: true, mode: 0o700 });
  const draft = join(copy, `${DATA_FILE}.new`);
  await rm(draft, { force: true });
  try {
    await copyFile(data, draft);
    await synced(draft);
    await rename(draft, join(copy, DATA_FILE));
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
  return null;
}

async function synced(path: string): Promise<void> {
  const file = await open(path, 'r+');
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}
