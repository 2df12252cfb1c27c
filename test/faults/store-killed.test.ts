import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { openStore } from '#dist/store/lmdb-store.js';

const require = createRequire(import.meta.url);
const urlOf = (name: string) => pathToFileURL(require.resolve(name)).href;

/** Writes without end, ten at a time, and prints the id of each record once it is acknowledged. */
const PROGRAM = `
  import { writeSync } from 'node:fs';
  import { openStore } from '${urlOf('#dist/store/lmdb-store.js')}';
  import { z } from '${urlOf('zod')}';
  const store = await openStore(process.argv[1], { warn() {}, error() {} });
  const things = store.collection('things', { version: 1, schema: z.string() });
  let next = things.all().size;
  const write = async () => {
    for (;;) {
      const id = 'k' + next++;
      await things.put(id, id.repeat(200));
      writeSync(1, id + '\\n');
    }
  };
  await Promise.all(Array.from({ length: 10 }, write));
`;

const ROUNDS = 5;
/** Writes acknowledged in each round before the kill. */
const WRITES = 300;

let folder: string;
afterEach(() => rm(folder, { recursive: true }));

describe('a store whose process is killed while it writes', () => {
  it('has every acknowledged record, whole, each time', async () => {
    folder = await mkdtemp(join(tmpdir(), 'at-killed-'));
    const store = join(folder, 'store');
    const acknowledged = new Set<string>();
    for (let round = 0; round < ROUNDS; round += 1) {
      const args = ['--input-type=module', '-e', PROGRAM, store];
      const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
      const exit = once(child, 'exit');
      let seen = 0;
      for await (const id of createInterface({ input: child.stdout })) {
        acknowledged.add(id);
        seen += 1;
        if (seen === WRITES) child.kill('SIGKILL');
      }
      expect((await exit)[1]).toBe('SIGKILL');
    }
    const lines: unknown[] = [];
    const log = (...line: unknown[]) => void lines.push(line);
    const opened = await openStore(store, { warn: log, error: log } as never);
    const things = opened.collection('things', { version: 1, schema: z.string() });
    const missing = [...acknowledged].filter((id) => things.get(id) !== id.repeat(200));
    expect(missing).toEqual([]);
    expect(acknowledged.size).toBeGreaterThanOrEqual(ROUNDS * WRITES);
    expect(lines).toEqual([]);
    await opened.close();
  });
});
