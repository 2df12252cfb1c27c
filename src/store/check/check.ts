import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { constants } from 'node:os';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { ConfigError } from '../../config/config-error.js';
import { STORE_CHECK_DEADLINE_MS } from '../../contract/limits.js';
import { kindOfData } from '../environment.js';

/** What says nothing about the data: a system that is full, or a folder that may not be written to. */
const SYSTEM_FAULTS: ReadonlySet<number> = new Set(
  // A disk that reads or writes badly says nothing of what is on it: EIO, and a write cut short.
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

/** How LMDB ends the process that meets damage. Any other signal (a slow disk, no memory) says nothing of the data. */
const DAMAGE_SIGNALS: ReadonlySet<NodeJS.Signals> = new Set([
  'SIGSEGV',
  'SIGBUS',
  'SIGABRT',
  'SIGFPE',
  'SIGILL',
]);

const Fault = z.object({ message: z.string(), code: z.number().nullable() });

/**
 * Why the environment in `folder` cannot be used, as a phrase, or null when it can. Reads all of it in a process of
 * its own (about 0.1 s), since LMDB ends the process that meets certain damage: garbage in data.mdb or a file cut
 * short is a SIGSEGV or SIGBUS, not an error. Throws ConfigError for a fault of the system's, when the data may be
 * well.
 *
 * @param keysOnly - reads the keys alone: for an environment of many GB, whose reader bears with values that are wrong
 */
export async function faultOfEnvironment(
  folder: string,
  { keysOnly = false }: { keysOnly?: boolean } = {},
): Promise<string | null> {
  const kind = kindOfData(folder);
  if (kind === 'none') return null;
  // To open a FIFO or a device may wait for good.
  if (kind === 'no file') return 'its data file is no file';
  const entry = fileURLToPath(new URL('./main.js', import.meta.url));
  const child = spawn(process.execPath, [entry, folder, ...(keysOnly ? ['keys'] : [])], {
    stdio: ['ignore', 'pipe', 'ignore'],
    timeout: STORE_CHECK_DEADLINE_MS,
    killSignal: 'SIGKILL',
  });
  const [output, [code, signal]] = await Promise.all([text(child.stdout), once(child, 'close')]);
  if (code === 0) return null;
  if (signal && DAMAGE_SIGNALS.has(signal)) return `reading it ends in ${signal}`;
  if (signal) throw new ConfigError(`${folder}: store could not be checked (${signal}); it stays as it is`);
  const fault = Fault.safeParse(parse(output));
  if (!fault.success) return `reading it ends with exit code ${code}`;
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
