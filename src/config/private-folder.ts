import { chmod, lstat, mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { ConfigError } from './config-error.js';

/** Permission bits of group and world. */
const OTHERS = 0o077;

/** Codes with which the system refuses a user that place. */
const REFUSED: ReadonlySet<unknown> = new Set(['EACCES', 'EPERM', 'EROFS']);

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}

function reasonOf(error: unknown): string {
  return String(codeOf(error) ?? error);
}

async function orConfigError<T>(path: string, what: string, action: Promise<T>): Promise<T> {
  try {
    return await action;
  } catch (error) {
    const fix = REFUSED.has(codeOf(error)) ? '. AUTO_TERMINAL_HOME names a folder that you may write to' : '';
    throw new ConfigError(`${path}: ${what} (${reasonOf(error)})${fix}`, { cause: error });
  }
}

/**
 * Creates a folder, with its parents, that only its owner can enter. An existing folder must belong to the user, and is
 * closed to others. A link is followed only if the user made it: in a folder that everybody can write to, such as /tmp,
 * another user's link would decide where the sockets go. On Windows the access lists of the user's profile do all this.
 * Throws ConfigError.
 */
export async function makePrivateFolder(path: string): Promise<void> {
  await orConfigError(path, 'folder cannot be made', makeFolders(path));
  const uid = process.getuid?.();
  if (uid === undefined) return;
  const entry = await orConfigError(path, 'folder cannot be read', lstat(path));
  const folder = await orConfigError(path, 'folder cannot be read', stat(path));
  if (!folder.isDirectory()) throw new ConfigError(`${path}: is not a folder`);
  if (entry.uid !== uid || folder.uid !== uid) throw new ConfigError(`${path}: belongs to another user`);
  if ((folder.mode & OTHERS) === 0) return;
  await orConfigError(path, 'is open to other users and cannot be made private', chmod(path, 0o700));
}

/** Makes a folder and its parents, unless they exist. Node's own way never ends where no folder can be made, as in /proc. */
async function makeFolders(path: string): Promise<void> {
  if (await isMade(path)) return;
  await makeFolders(dirname(path));
  if (!(await isMade(path))) throw Object.assign(new Error(`${path} has no place`), { code: 'ENOENT' });
}

/** Makes a folder if it can. Resolves with false if it has no parent. */
async function isMade(path: string): Promise<boolean> {
  try {
    await mkdir(path, { mode: 0o700 });
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return true;
    if (codeOf(error) === 'ENOENT' && dirname(path) !== path) return false;
    throw error;
  }
}
