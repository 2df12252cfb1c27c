import { open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * Replaces a file atomically and durably: a reader, or a start after a power loss, finds the old file or the new file,
 * never a part. Only its owner can read it. Rejects with the system's error; the old file is then still there.
 */
export async function replaceFile(path: string, text: string): Promise<void> {
  // The draft has a fixed name, so the next change replaces a draft that a killed service left, secrets included.
  const draft = `${path}.new`;
  try {
    await writeDurably(draft, text);
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
  await syncFolder(dirname(path));
}

async function writeDurably(path: string, text: string): Promise<void> {
  // Removes any file of this name first: opening a FIFO would block forever.
  await rm(path, { force: true });
  const file = await open(path, 'wx', 0o600);
  try {
    await file.chmod(0o600);
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Makes the rename itself durable. Windows cannot sync folders. */
async function syncFolder(path: string): Promise<void> {
  if (process.platform === 'win32') return;
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
