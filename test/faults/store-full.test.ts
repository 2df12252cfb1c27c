import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { afterEach, describe, expect, it } from 'vitest';

const require = createRequire(import.meta.url);
const urlOf = (name: string) => pathToFileURL(require.resolve(name)).href;

/** Writes until the store cannot grow, goes on for a while, and then makes room. */
const PROGRAM = `
  import { openStore } from '${urlOf('#dist/store/lmdb-store.js')}';
  import { z } from '${urlOf('zod')}';
  const logger = { warn() {}, error() {} };
  const codec = { version: 1, schema: z.string() };
  const store = await openStore(process.argv[1], logger);
  const things = store.collection('things', codec);
  const kept = [];
  const refused = [];
  for (let index = 0; index < 60; index += 1) {
    const id = 'k' + String(index).padStart(2, '0');
    await things.put(id, 'x'.repeat(40_000)).then(() => kept.push(id), () => refused.push(id));
  }
  const inMemory = [...things.all().keys()];
  await things.remove(kept.shift());
  await things.put('small', 'fits');
  await store.close();
  const again = await openStore(process.argv[1], logger);
  const onDisk = [...again.collection('things', codec).all().keys()];
  await again.close();
  console.log(JSON.stringify({ kept, refused, inMemory, onDisk }));
`;

/** Largest size of a file for `ulimit -f`, in blocks of 1 KiB. */
const LIMIT_KIB = 1_024;

let folder: string;
afterEach(() => rm(folder, { recursive: true }));

describe('a store that cannot grow any more', () => {
  it('refuses records that it cannot write, keeps the earlier ones, and goes on', async () => {
    folder = await mkdtemp(join(tmpdir(), 'at-full-'));
    const script = `ulimit -f ${LIMIT_KIB}; exec "$0" --input-type=module -e "$1" "$2"`;
    const args = ['-c', script, process.execPath, PROGRAM, join(folder, 'store')];
    // An unhandled rejection would end the program with code 1, and fail this call.
    const { stdout } = await promisify(execFile)('bash', args);
    const { kept, refused, inMemory, onDisk } = JSON.parse(stdout) as Record<string, string[]>;
    expect(kept!.length).toBeGreaterThan(5);
    expect(refused!.length).toBeGreaterThan(5);
    expect(inMemory).toEqual([expect.any(String), ...kept!]);
    expect(onDisk).toEqual([...kept!, 'small']);
  });
});
