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

/** Writes pairs until the store cannot grow, goes on for a while, and then makes room. */
const PROGRAM = `
  import { openStore } from '${urlOf('#dist/store/lmdb-store.js')}';
  import { z } from '${urlOf('zod')}';
  const logger = { warn() {}, error() {} };
  const codec = { version: 1, schema: z.string() };
  const store = await openStore(process.argv[1], logger);
  const shelf = store.shelf('things', codec);
  const put = (...ids) => new Map(ids.map((id) => [id, 'x'.repeat(20_000)]));
  const kept = [];
  const refused = [];
  for (let index = 0; index < 60; index += 1) {
    const pair = ['a', 'b'].map((half) => String(index).padStart(2, '0') + half);
    const written = shelf.write({ clear: [], remove: [], put: put(...pair) });
    await written.then(() => kept.push(...pair), () => refused.push(...pair));
  }
  const before = shelf.ids('');
  await shelf.write({ clear: ['0'], remove: [], put: put('small') });
  await store.close();
  const again = await openStore(process.argv[1], logger);
  const after = again.shelf('things', codec).ids('');
  await again.close();
  console.log(JSON.stringify({ kept, refused, before, after }));
`;

/** Largest size of a file for `ulimit -f`, in blocks of 1 KiB. */
const LIMIT_KIB = 1_024;

let folder: string;
afterEach(() => rm(folder, { recursive: true }));

describe('a shelf that cannot grow any more', () => {
  it('refuses records that it cannot write in full, keeps the earlier ones, and goes on', async () => {
    folder = await mkdtemp(join(tmpdir(), 'at-shelf-full-'));
    const script = `ulimit -f ${LIMIT_KIB}; exec "$0" --input-type=module -e "$1" "$2"`;
    const args = ['-c', script, process.execPath, PROGRAM, join(folder, 'store')];
    // An unhandled rejection would end the program with code 1, and fail this call.
    const { stdout } = await promisify(execFile)('bash', args);
    const { kept, refused, before, after } = JSON.parse(stdout) as Record<string, string[]>;
    expect(kept!.length).toBeGreaterThan(5);
    expect(refused!.length).toBeGreaterThan(5);
    expect(before).toEqual(kept);
    expect(after).toEqual([...kept!.filter((id) => !id.startsWith('0')), 'small']);
  });
});
