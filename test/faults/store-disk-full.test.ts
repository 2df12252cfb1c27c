import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { openStore } from '#dist/store/lmdb-store.js';
import { SearchStore } from '#dist/store/search/search-store.js';
import type { Codec } from '#dist/store/store.js';
import { NO_SMALL_DISK, type SmallDisk, smallDisk } from '../support/small-disk.js';

const codec: Codec<string> = { version: 1, schema: z.string() };
const FULL = { code: 'storage-full' };
const MiB = 1024 * 1024;

let disk: SmallDisk;
let logged: string[];
const log = (_fields: object, message: string) => void logged.push(message);
const logger = { warn: log, error: log } as never;

describe.skipIf(NO_SMALL_DISK)('on a full disk', () => {
  beforeEach(() => {
    disk = smallDisk(20)!;
    logged = [];
  });
  afterEach(() => disk.remove());

  it('the store refuses records without room, and can be shrunk, closed and opened again', async () => {
    const folder = join(disk.path, 'store');
    const first = await openStore(folder, logger);
    const things = first.collection('things', codec);
    for (let index = 0; index < 50; index++) await things.put(`k${index}`, 'x'.repeat(5_000));
    disk.fill();
    const kept = new Set(things.all().keys());
    // Fails many times: the leftovers of a failure must not end the process at a later failure.
    for (let index = 0; index < 200; index++) {
      const id = `late${index}`;
      await things.put(id, 'y'.repeat(9_000)).then(
        () => kept.add(id),
        (error: unknown) => expect(error).toMatchObject(FULL),
      );
    }
    expect(kept.size).toBeLessThan(200);
    await things.remove('k0');
    kept.delete('k0');
    await first.close();
    expect(logged).toEqual(['the store could not be copied; the previous copy stays']);

    // Each start opens the store as it is.
    for (let start = 0; start < 3; start++) {
      const again = await openStore(folder, logger);
      const found = again.collection('things', codec);
      expect(new Set(found.all().keys())).toEqual(kept);
      await expect(found.put('large', 'z'.repeat(200_000))).rejects.toMatchObject(FULL);
      if (start === 2) {
        disk.makeRoom();
        await found.put('large', 'z'.repeat(200_000));
      }
      await again.close();
    }
    expect(readdirSync(disk.path).sort()).toEqual(['store', 'store.copy']);
    expect(new Set(logged)).toEqual(new Set(['the store could not be copied; the previous copy stays']));
  });

  it('the search index keeps its text, and takes in more once there is room', async () => {
    const options = { folder: join(disk.path, 'search'), maxBytes: () => 64 * MiB, logger };
    const store = await SearchStore.open(options);
    const text = (seed: number) =>
      Array.from({ length: 500 }, (_, line) => `${seed} ${line} words`).join('\n');
    const append = (seed: number) =>
      store.append({ terminalId: 'term_a', type: 'output', timestamp: seed, content: text(seed) });
    for (let seed = 1; seed <= 20; seed++) append(seed);
    await store.commit();
    disk.fill();
    for (let seed = 21; seed <= 100; seed++) append(seed);
    for (let attempt = 0; attempt < 20; attempt++) await expect(store.commit()).rejects.toMatchObject(FULL);
    await expect(store.clear()).rejects.toThrow();
    disk.makeRoom();
    await store.commit();
    expect(store.newestTimestamp).toBe(100);
    disk.fill();
    for (let seed = 101; seed <= 200; seed++) append(seed);
    // Text without room at the close is lost; the rest is kept.
    await store.close();
    const again = await SearchStore.open(options);
    expect(again.newestTimestamp).toBe(100);
    await again.close();
    expect(logged).toContain('search documents could not be stored before the service stopped');
  });
});
