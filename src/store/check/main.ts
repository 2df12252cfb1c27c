// A process that reads a whole LMDB environment, and writes to it, so that damage ends this process and not the
// service. Arguments: the environment's folder, and `keys` to skip the values. Prints on stdout that it begins, and then
// a fault of LMDB or of the system as one JSON line.
import { Environment } from '../environment.js';
import { tellBegun } from '../reading-process.js';

const PROBE_DATABASE = 'check';
const PROBE_KEY = 'written by the last check';

try {
  const [folder = '', part] = process.argv.slice(2);
  await tellBegun();
  const environment = Environment.open(folder);
  // Values that were cut off then read as zeros, which their reader detects.
  if (part === 'keys') environment.coverTail();
  for (const name of environment.names()) {
    const database = environment.openDB<string>(name);
    if (part === 'keys') for (const _key of database.getKeys());
    else for (const { value } of database.getRange()) Buffer.from(value);
  }
  // Everything that can be reached has been read, so any pages that are missing at the file's end are free.
  environment.coverTail();
  // A write walks the list of free pages, which no read does. Skipped on a full disk, which says nothing about the
  // data.
  if (environment.hasRoom()) {
    const probe = environment.openDB<string>(PROBE_DATABASE);
    probe.putSync(PROBE_KEY, Buffer.from(new Date().toISOString()));
  }
  await environment.close();
} catch (error) {
  const { message, code, errno } = error as { message: string; code?: unknown; errno?: unknown };
  // LMDB's `code` is a number. In Node's errors `code` is a name, and `errno` is the number, below zero.
  const number = typeof code === 'number' ? code : typeof errno === 'number' ? -errno : null;
  process.stdout.write(JSON.stringify({ message, code: number }));
  process.exitCode = 1;
}
