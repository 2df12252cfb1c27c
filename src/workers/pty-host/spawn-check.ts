import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';

/** What execvp(3) looks through when the environment has no PATH. */
const DEFAULT_PATH = '/bin:/usr/bin';

/**
 * Why a program can not be started, as a message that names the thing, or null. A fork reports nothing: its child
 * would print an error on the terminal and exit 1.
 */
export function spawnFault(file: string, cwd: string, env: Record<string, string>): string | null {
  if (!isFolder(cwd)) return `cwd is not a folder: ${cwd}`;
  const places = file.includes('/')
    ? [resolve(cwd, file)]
    : (env.PATH ?? DEFAULT_PATH).split(delimiter).map((folder) => resolve(cwd, join(folder || '.', file)));
  const found = places.filter(isFile);
  if (found.length === 0) return `shell not found: ${file}`;
  return found.some(isExecutable) ? null : `shell is not executable: ${file}`;
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

function isFile(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
  } catch {
    // A component of the path is no folder, or may not be entered.
    return false;
  }
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
