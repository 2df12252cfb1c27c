import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';

/** Error for a path that is a FIFO, a device or a folder. */
export class NotAFile extends Error {
  readonly code = 'not a file';

  constructor(path: string) {
    super(`${path} is not a regular file`);
    this.name = 'NotAFile';
  }
}

/**
 * Opens a file for reading. Refuses FIFOs, devices and folders with {@link NotAFile}: opening or reading a FIFO or a
 * device may block forever, and keep the process from ending. Throws the system's errors.
 */
export async function openRegular(path: string): Promise<FileHandle> {
  const file = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  if ((await file.stat()).isFile()) return file;
  await file.close();
  throw new NotAFile(path);
}
