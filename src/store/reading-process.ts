import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { ConfigError } from '../config/config-error.js';
import { STORE_CHECK_DEADLINE_MS } from '../contract/limits.js';

const STDOUT = 1;

/** First line of a reading process. A failure before this line has nothing to do with the data. */
const BEGUN = 'begun\n';

/** How a process that has begun to read an environment has ended, and what it has printed. */
export interface Reading {
  output: string;
  code: number | null;
  signal: NodeJS.Signals | null;
}

/**
 * Reads an environment in a process of its own, since certain damage makes LMDB end the process. Throws ConfigError if the
 * system lets no such process start: Node ends by SIGABRT, as damage would end it, where it cannot start a thread.
 *
 * @param entry - path of the process's program, which calls {@link tellBegun}
 * @param folder - folder of the environment, the program's first argument
 */
export async function readInProcess(
  entry: string,
  folder: string,
  args: readonly string[] = [],
): Promise<Reading> {
  const { output, code, signal } = await ended(entry, [folder, ...args]).catch((cause: Error) => {
    throw notRead(folder, cause.message, { cause });
  });
  if (!output.startsWith(BEGUN)) throw notRead(folder, `its reader did not start: ${signal ?? code}`);
  return { output: output.slice(BEGUN.length), code, signal };
}

/** Returns the error for data that the system did not let be read, and that may be intact. */
export function notRead(folder: string, reason: string, options?: ErrorOptions): ConfigError {
  return new ConfigError(`${folder}: store could not be checked (${reason}); it stays as it is`, options);
}

/** Called in a reading process right before it opens the environment. */
export async function tellBegun(): Promise<void> {
  // LMDB writes in the threads of Node's pool, which are all started by its first use.
  await stat('/');
  writeSync(STDOUT, BEGUN);
}

async function ended(entry: string, args: readonly string[]): Promise<Reading> {
  const child = spawn(process.execPath, [entry, ...args], {
    stdio: ['ignore', 'pipe', 'ignore'],
    timeout: STORE_CHECK_DEADLINE_MS,
    killSignal: 'SIGKILL',
  });
  const closed = once(child, 'close') as Promise<[number | null, NodeJS.Signals | null]>;
  // Without descriptors for pipes, the process has no stdout, and `closed` rejects.
  const printed = child.stdout === undefined ? '' : text(child.stdout);
  const [output, [code, signal]] = await Promise.all([printed, closed]);
  return { output, code, signal };
}
