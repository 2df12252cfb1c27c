import { constants } from 'node:os';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { ConfigError } from '../../config/config-error.js';
import { kindOfData } from '../environment.js';
import { notRead, readInProcess } from '../reading-process.js';

/** Errors that say nothing about the data: the system is full, or the folder is not writable. */
const SYSTEM_FAULTS: ReadonlySet<number> = new Set(
  // EIO means a disk that reads or writes badly, or a write cut short, which says nothing about the data on the disk.
  (
    [
      'EACCES',
      'EPERM',
      'ENOSPC',
      'EDQUOT',
      'EFBIG',
      'EIO',
      'EMFILE',
      'ENFILE',
      'ENOMEM',
      'EROFS',
      'EAGAIN',
    ] as const
  ).map((name) => constants.errno[name]),
);

/**
 * Signals by which damage ends a process with LMDB. Other signals (a slow disk, no memory) say nothing about the data.
 */
const DAMAGE_SIGNALS: ReadonlySet<NodeJS.Signals> = new Set([
  'SIGSEGV',
  'SIGBUS',
  'SIGABRT',
  'SIGFPE',
  'SIGILL',
]);

const Fault = z.object({ message: z.string(), code: z.number().nullable() });

/**
 * Returns why the environment in `folder` cannot be used, as a phrase, or null if it can. Reads all of it in a separate
 * process (about 0.1 s), since certain damage makes LMDB end the process: garbage in data.mdb or a file cut short is a
 * SIGSEGV or SIGBUS, not an error. Throws ConfigError for a fault of the system, when the data may be intact.
 *
 * @param keysOnly - reads only the keys: for an environment of many GB, whose reader tolerates wrong values
 */
export async function faultOfEnvironment(
  folder: string,
  { keysOnly = false }: { keysOnly?: boolean } = {},
): Promise<string | null> {
  const kind = kindOfData(folder);
  if (kind === 'none') return null;
  // Opening a FIFO or a device may block forever.
  if (kind === 'no file') return 'its data file is not a regular file';
  const entry = fileURLToPath(new URL('./main.js', import.meta.url));
  const { output, code, signal } = await readInProcess(entry, folder, keysOnly ? ['keys'] : []);
  if (code === 0) return null;
  if (signal && DAMAGE_SIGNALS.has(signal)) return `reading it ended with ${signal}`;
  if (signal) throw notRead(folder, signal);
  const fault = Fault.safeParse(parse(output));
  if (!fault.success) return `reading it ended with exit code ${code}`;
  const { message, code: errno } = fault.data;
  if (errno !== null && SYSTEM_FAULTS.has(errno)) {
    throw new ConfigError(`${folder}: store cannot be opened (${message})`);
  }
  return message;
}

function parse(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}
