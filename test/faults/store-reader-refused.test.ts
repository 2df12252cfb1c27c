import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { openStore } from '#dist/store/lmdb-store.js';
import { ACTING, type Codec } from '#dist/store/store.js';

const codec: Codec<string> = { version: 1, schema: z.string() };

let root: string;
let folder: string;
const lines: string[] = [];

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'at-store-'));
  folder = join(root, 'store');
  lines.length = 0;
  const store = await openIt();
  await store.collection(ACTING.tokens, codec).put('a', 'a token');
  await store.close();
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await rm(root, { recursive: true });
});

function openIt() {
  const log = (_fields: object, message: string) => void lines.push(message);
  return openStore(folder, { warn: log, error: log } as never);
}

/** Has every process whose program's path contains `part` abort before its program runs, as Node does without a thread. */
async function abortAtStart(part: string): Promise<void> {
  const preload = join(root, 'abort.cjs');
  await writeFile(preload, `if (process.argv[1].includes(${JSON.stringify(part)})) process.abort();`);
  vi.stubEnv('NODE_OPTIONS', `--require ${preload}`);
}

describe('a store whose reader the system does not let start', () => {
  test('is no damaged store: it stays as it is, and is opened once the reader starts', async () => {
    await abortAtStart('/check/');
    await expect(openIt()).rejects.toThrow(/could not be checked \(its reader did not start: SIGABRT\)/);
    vi.unstubAllEnvs();
    const store = await openIt();
    expect(store.collection(ACTING.tokens, codec).get('a')).toBe('a token');
    await store.close();
    expect(lines).toEqual([]);
  });

  test('is not rebuilt from what was not read', async () => {
    await writeFile(join(folder, 'data.mdb'), Buffer.alloc(200_000, 0x5a));
    await abortAtStart('/salvage/');
    const before = await readdir(root);
    await expect(openIt()).rejects.toThrow('could not be checked');
    expect(await readdir(root)).toEqual(before);
  });
});
