import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';

/** What stands under a file's name is a FIFO, a device or a folder. */
export class NotAFile extends Error {
  readonly code = 'not a file';

  constructor(path: string) {
    super(`${path} is not a file`);
    this.name = 'NotAFile';
  }
}

/**
 * Opens a file for reading. To open or read a FIFO or a device may wait for good, and hold up the end of the process;
 * those are refused with {@link NotAFile}. Throws what the system says.
 */
export async function openRegular(path: string): Promise<FileHandle> {
  const file = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  if ((await file.stat()).isFile()) return file;
  await file.close();
  throw new NotAFile(path);
}
