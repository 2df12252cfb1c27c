import { chmod, lstat, open, readlink, realpath, rename, rm, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { ConfigError } from './config-error.js';
import { findJsonFault } from './json-fault.js';
import { openRegular } from './regular-file.js';

/** Permission bits of group and world. */
const OTHERS = 0o077;

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : String(error);
}

/**
 * The config file as parsed JSON, `{}` when there is none. A file that a user broke stays as it is. Throws
 * ConfigError with line and column of the fault.
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
 * Replaces the config file as a whole: whoever reads it, or loses power meanwhile, finds the old one or the new
 * one. It holds the token, so it is its owner's alone. A link is followed, since dotfiles are often linked.
 * Throws ConfigError when it cannot be written.
 */
export async function writeConfigFile(path: string, settings: object): Promise<void> {
  try {
    const target = await targetOf(path);
    // One name: what a killed service has left of it, token included, is overwritten by the next change.
    const draft = `${target}.new`;
    try {
      await writeDurably(draft, `${JSON.stringify(settings, null, 2)}\n`);
      await rename(draft, target);
    } catch (error) {
      await rm(draft, { force: true });
      throw error;
    }
    await syncFolder(dirname(target));
  } catch (error) {
    throw new ConfigError(`${path}: cannot be written (${codeOf(error)})`, { cause: error });
  }
}

/** Where a link leads, also when nothing is there yet. */
async function targetOf(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error;
    const isLink = (await lstat(path).catch(() => undefined))?.isSymbolicLink();
    return isLink ? resolve(dirname(path), await readlink(path)) : path;
  }
}

/** The file holds the token: who may read it besides its owner may do so no longer. Throws ConfigError. */
export async function closeConfigFile(path: string): Promise<void> {
  try {
    const { mode } = await stat(path);
    if ((mode & OTHERS) !== 0) await chmod(path, 0o600);
  } catch (error) {
    if (codeOf(error) !== 'ENOENT')
      throw new ConfigError(`${path}: cannot be closed to others (${codeOf(error)})`, { cause: error });
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

async function writeDurably(path: string, text: string): Promise<void> {
  // Whatever has the name is no part of this: to open a FIFO would wait for good.
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

/** The rename itself is durable only then; Windows has no such thing for folders. */
async function syncFolder(path: string): Promise<void> {
  if (process.platform === 'win32') return;
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
