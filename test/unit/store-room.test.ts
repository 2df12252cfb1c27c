import { statSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { MAX_STORE_SURPLUS_BYTES } from '#dist/contract/limits.js';
import { DATA_FILE, Environment } from '#dist/store/environment.js';
import { Random } from '../support/random.js';

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'at-room-'));
});
afterEach(() => rm(folder, { recursive: true }));

const fileBytes = () => statSync(join(folder, DATA_FILE)).size;

test.each([1, 2, 3])(
  'the file has room for what is written, before LMDB writes it (seed %i)',
  async (seed) => {
    const random = new Random(seed);
    const environment = Environment.open(folder);
    const database = environment.openDB<string>('values');
    /** Size of the file after the last write began: nothing else makes the file longer. */
    let reserved = fileBytes();
    const write = async (key: string, value: Buffer | undefined) => {
      const start = () => (value ? database.put(key, value) : database.remove(key));
      const done = environment.commit({ values: value ? [value.length] : [], isRemoval: !value }, start);
      reserved = fileBytes();
      await done;
      expect(environment.usedBytes).toBeLessThanOrEqual(reserved);
    };
    let underWay: Promise<void>[] = [];
    let keys = 0;
    for (let round = 0; round < 40; round++) {
      const most = random.of([20, 3_000, 30_000]);
      // Few writes at a time, so that the writes behind each other take up all the room, or many at once.
      const together = random.of([1, 2, 40]);
      for (let count = 60; count > 0; count--) {
        const isRemoved = random.below(10) === 0;
        const value = isRemoved ? undefined : Buffer.alloc(random.below(most) + 1);
        underWay.push(write(`key ${isRemoved ? random.below(keys) : keys++}`, value));
        if (underWay.length < together) continue;
        // Unfinished writes go on while the next writes begin.
        await Promise.race(underWay);
        if (random.below(2) === 0) continue;
        await Promise.all(underWay);
        underWay = [];
        expect(fileBytes() - environment.usedBytes).toBeLessThanOrEqual(MAX_STORE_SURPLUS_BYTES);
      }
    }
    await Promise.all(underWay);
    await environment.close();
  },
);
