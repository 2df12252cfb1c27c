import { lstatSync, readlinkSync } from 'node:fs';
import { symlink } from 'node:fs/promises';
import { isAbsolute } from 'node:path';
import { ConfigError } from './config-error.js';

/** Returns the run folder that a link names; undefined if there is no such link of this user. */
export function rememberedRunFolder(link: string): string | undefined {
  try {
    if (lstatSync(link).uid !== process.getuid?.()) return undefined;
    const folder = readlinkSync(link);
    return isAbsolute(folder) ? folder : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Makes the link that names the run folder, unless there is one. It is never changed: the socket in that folder is what
 * keeps a second service off the data folder, so each start must look for it in the same place, and makes the folder
 * again if it is gone. Throws ConfigError if the link names another folder, as when two services start at once.
 */
export async function rememberRunFolder(link: string, folder: string): Promise<void> {
  try {
    await symlink(folder, link);
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    if (code === 'EEXIST' && rememberedRunFolder(link) === folder) return;
    const reason =
      code === 'EEXIST' ? 'names another folder for sockets; start again' : `cannot be made (${code})`;
    throw new ConfigError(`${link}: ${reason}`, { cause });
  }
}
