import { chmod, lstat, readlink, realpath, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { ConfigError } from './config-error.js';
import { findJsonFault } from './json-fault.js';
import { openRegular } from './regular-file.js';
import { replaceFile } from './replace-file.js';

/** Permission bits of group and world. */
const OTHERS = 0o077;

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : String(error);
}

/**
 * Returns the config file as parsed JSON, or `{}` if there is none. Never changes a broken file. Throws ConfigError,
 * which names line and column if the file is not JSON.
 */
export async function readConfigFile(path: string): Promise<unknown> {
  let text: string;
  try {
    text = (await textOf(path)).replace(/^\uFEFF/, '');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return {};
    throw new ConfigError(`${path}: cannot be read (${codeOf(error)})`, { cause: error });
  }
  try {
    return JSON.parse(text);
  } catch (error) {
    const { line, column } = findJsonFault(text) ?? { line: 1, column: 1 };
    throw new ConfigError(`${path}: not valid JSON at line ${line}, column ${column}`, { cause: error });
  }
}

/**
 * Replaces the config file atomically: a reader, or a start after a power loss, finds the old file or the new file,
 * never a part. Only its owner can read it, since it holds the token. A symbolic link is followed, since dotfiles are
 * often linked. Throws ConfigError when the file cannot be written.
 */
export async function writeConfigFile(path: string, settings: object): Promise<void> {
  try {
    await replaceFile(await targetOf(path), `${JSON.stringify(settings, null, 2)}\n`);
  } catch (error) {
    throw new ConfigError(`${path}: cannot be written (${codeOf(error)})`, { cause: error });
  }
}

/** Returns the target of a link, even if the target does not exist yet. */
async function targetOf(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error;
    const isLink = (await lstat(path).catch(() => undefined))?.isSymbolicLink();
    return isLink ? resolve(dirname(path), await readlink(path)) : path;
  }
}

/** Removes the permissions of group and world, because the file holds the token. Throws ConfigError. */
export async function closeConfigFile(path: string): Promise<void> {
  try {
    const { mode } = await stat(path);
    if ((mode & OTHERS) !== 0) await chmod(path, 0o600);
  } catch (error) {
    if (codeOf(error) !== 'ENOENT')
      throw new ConfigError(`${path}: cannot be made private (${codeOf(error)})`, { cause: error });
  }
}

async function textOf(path: string): Promise<string> {
  const file = await openRegular(path);
  try {
    return await file.readFile('utf8');
  } finally {
    await file.close();
  }
}
