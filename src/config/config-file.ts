import { readFile } from 'node:fs/promises';
import { ConfigError } from './config-error.js';
import { findJsonFault } from './json-fault.js';

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : String(error);
}

/**
 * The config file as parsed JSON, `{}` when there is none. It is never rewritten here: a file that a user
 * broke stays as it is. Throws ConfigError with line and column of the fault.
 */
export async function readConfigFile(path: string): Promise<unknown> {
  let text: string;
  try {
    text = (await readFile(path, 'utf8')).replace(/^\uFEFF/, '');
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
