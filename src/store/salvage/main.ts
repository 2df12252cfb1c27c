// A process that reads as much as it can of a damaged LMDB environment, so that damage ends this process only.
// Arguments: the environment's folder; a database, or none to print the names of the databases; and `reverse` to begin
// with the last record. Prints on stdout that it begins, and each record as a JSON line before it reads the next record:
// the key, and the value in base64.
import { writeSync } from 'node:fs';
import { type Database, open } from 'lmdb';
import { BINARY, MAX_DATABASES } from '../environment.js';
import { tellBegun } from '../reading-process.js';

const STDOUT = 1;

const [folder = '', name, order] = process.argv.slice(2);
await tellBegun();
const root = open<Buffer, string>({
  path: folder,
  readOnly: true,
  noSubdir: false,
  maxDbs: MAX_DATABASES,
  ...BINARY,
});
if (name === undefined) {
  for (const key of root.getKeys()) print([key]);
} else {
  const reverse = order === 'reverse';
  const database: Database<Buffer, string> = root.openDB(name, BINARY);
  for (const { key, value } of database.getRange({ reverse })) print([key, value.toString('base64')]);
}

function print(record: unknown[]): void {
  writeSync(STDOUT, `${JSON.stringify(record)}\n`);
}
