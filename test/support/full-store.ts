import { execFile } from 'node:child_process';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';

const require = createRequire(import.meta.url);
const urlOf = (name: string) => pathToFileURL(require.resolve(name)).href;

/** Largest size of a file for `ulimit -f`, in blocks of 1 KiB. */
const LIMIT_KIB = 1_024;

/** The beginning of each program: opens the store whose path is the argument. */
const HEAD = `
  import { openStore } from '${urlOf('#dist/store/lmdb-store.js')}';
  import { z } from '${urlOf('zod')}';
  const logger = { warn() {}, error() {} };
  const codec = { version: 1, schema: z.string() };
  const store = await openStore(process.argv[1], logger);
`;

/**
 * Runs a program, as the text of a module, on a store in this folder whose file cannot grow beyond LIMIT_KIB. The program
 * finds `openStore`, `logger`, `codec` and the open `store`, and prints JSON. Resolves with its lists. Rejects if the
 * program fails, also by an unhandled rejection.
 */
export async function withFullStore(folder: string, program: string): Promise<Record<string, string[]>> {
  const script = `ulimit -f ${LIMIT_KIB}; exec "$0" --input-type=module -e "$1" "$2"`;
  const args = ['-c', script, process.execPath, HEAD + program, join(folder, 'store')];
  const { stdout } = await promisify(execFile)('bash', args);
  return JSON.parse(stdout);
}
