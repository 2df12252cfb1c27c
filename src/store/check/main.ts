// A process that reads a whole LMDB environment, and writes to it: what is damaged ends this process, and not the
// service. Argument: the environment's folder. A fault of LMDB's or the system's comes as one JSON line on stdout.
import { BINARY, openEnvironment } from '../environment.js';

const PROBE_DATABASE = 'check';
const PROBE_KEY = 'written by the last check';

try {
  const environment = openEnvironment(process.argv[2] ?? '');
  for (const name of [...environment.getKeys()]) {
    const database = environment.openDB<Buffer, string>(name, BINARY);
    for (const { value } of database.getRange()) Buffer.from(value);
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
