// A process that reads a whole LMDB environment, and writes to it: what is damaged ends this process, and not the
// service. Arguments: the environment's folder, and `keys` to leave the values unread. A fault of LMDB's or the
// system's comes as one JSON line on stdout.
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { BINARY, openEnvironment } from '../environment.js';

const PROBE_DATABASE = 'check';
const PROBE_KEY = 'written by the last check';

try {
  const [folder = '', part] = process.argv.slice(2);
  const environment = openEnvironment(folder);
  const { lastPageNumber, pageSize } = environment.getStats() as { lastPageNumber: number; pageSize: number };
  if (statSync(join(folder, 'data.mdb')).size < (lastPageNumber + 1) * pageSize) {
    throw new Error('the data file is cut short');
  }
  for (const name of [...environment.getKeys()]) {
    const database = environment.openDB<Buffer, string>(name, BINARY);
    if (part === 'keys') for (const _key of database.getKeys());
    else for (const { value } of database.getRange()) Buffer.from(value);
  }
  // A write walks the list of free pages, which no read does.
  const probe = environment.openDB<Buffer, string>(PROBE_DATABASE, BINARY);
  probe.putSync(PROBE_KEY, Buffer.from(new Date().toISOString()));
  await environment.close();
} catch (error) {
  const { message, code } = error as { message: string; code?: unknown };
  process.stdout.write(JSON.stringify({ message, code: typeof code === 'number' ? code : null }));
  process.exitCode = 1;
}
