import { accessSync, constants, type Stats, statSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';

/** Limits of Linux for arguments and environment: 128 KiB for one string, and 2 MiB (less a margin) in all. */
const MAX_STRING_BYTES = 128 * 1024 - 1;
const MAX_STRINGS_BYTES = 2 * 1024 * 1024 - 16 * 1024;
/** Bytes that each string costs besides its text: a pointer and the closing NUL. */
const STRING_OVERHEAD_BYTES = 9;

interface Program {
  file: string;
  args: string[];
  cwd: string;
  env: Record<string, string>;
}

/** Folders that execvp(3) searches when the environment has no PATH. */
const DEFAULT_PATH = '/bin:/usr/bin';

/**
 * Returns the absolute path of the program, found as execvp(3) finds it, or why it cannot be started: a message that
 * names the cause.
 */
export function findProgram({ file, args, cwd, env }: Program): { path: string } | { fault: string } {
  const long = tooLong(args, env);
  if (long) return { fault: long };
  if (!isFolder(cwd)) return { fault: `cwd is not a folder: ${cwd}` };
  const places = file.includes('/')
    ? [resolve(cwd, file)]
    : (env.PATH ?? DEFAULT_PATH).split(delimiter).map((folder) => resolve(cwd, join(folder || '.', file)));
  const found = places.filter(isFile);
  if (found.length === 0) return { fault: `shell not found: ${file}` };
  const path = found.find(isExecutable);
  return path === undefined ? { fault: `shell is not executable: ${file}` } : { path };
}

function tooLong(args: string[], env: Record<string, string>): string | null {
  const variables = Object.entries(env).map(([key, value]) => [key, `${key}=${value}`] as const);
  const strings = [...args.map((arg, index) => [`argument ${index + 1}`, arg] as const), ...variables];
  let all = 0;
  for (const [name, text] of strings) {
    const bytes = Buffer.byteLength(text);
    if (bytes > MAX_STRING_BYTES) return `${name} is longer than the system accepts`;
    all += bytes + STRING_OVERHEAD_BYTES;
  }
  return all > MAX_STRINGS_BYTES
    ? 'arguments and environment together are longer than the system accepts'
    : null;
}

function isFolder(path: string): boolean {
  return statOf(path)?.isDirectory() ?? false;
}

function isFile(path: string): boolean {
  return statOf(path)?.isFile() ?? false;
}

/** Returns undefined for a path that does not lead to anything, for whatever reason. */
function statOf(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    // A component of the path is not a folder or may not be entered, or a name is too long.
    return undefined;
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
