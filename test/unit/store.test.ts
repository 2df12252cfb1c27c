import { chmod, mkdir, mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { open } from 'lmdb';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { openStore } from '#dist/store/lmdb-store.js';
import type { Codec, Store } from '#dist/store/store.js';

const codec: Codec<string> = { version: 1, schema: z.string() };

let root: string;
let folder: string;
let lines: { message: string; fields: Record<string, unknown> }[];
const stores: Store[] = [];

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'at-store-'));
  folder = join(root, 'store');
  lines = [];
});
afterEach(async () => {
  for (const store of stores.splice(0)) await store.close();
  await rm(root, { recursive: true });
});

async function openIt(): Promise<Store> {
  const log = (fields: Record<string, unknown>, message: string) => void lines.push({ message, fields });
  const store = await openStore(folder, { warn: log, error: log } as never);
  stores.push(store);
  return store;
}

async function closeIt(store: Store): Promise<void> {
  stores.splice(stores.indexOf(store), 1);
  await store.close();
}

/** Opens the store's files with plain lmdb, to write and read them as another program does. */
async function withLmdb<T>(work: (database: (name: string) => ReturnType<typeof openRaw>) => T): Promise<T> {
  const environment = open({ path: folder, maxDbs: 32 });
  const result = await work((name) => environment.openDB<Buffer, string>(name, { encoding: 'binary' }));
  await environment.close();
  return result;
}
const openRaw = () => open<Buffer, string>({ path: '' }).openDB<Buffer, string>('', {});

describe('the store', () => {
  test('keeps records that were put and forgets removed ones', async () => {
    const store = await openIt();
    const things = store.collection('things', codec);
    await Promise.all([things.put('b', 'two'), things.put('a', 'one'), things.put('c', 'three')]);
    await things.put('b', 'zwei');
    await things.remove('c');
    await things.remove('never there');
    await closeIt(store);
    const again = (await openIt()).collection('things', codec);
    expect([...again.all()]).toEqual([
      ['a', 'one'],
      ['b', 'zwei'],
    ]);
    expect(again.get('c')).toBeUndefined();
    expect(lines).toEqual([]);
  });

  test('shows a put at once, before it is committed', async () => {
    const things = (await openIt()).collection('things', codec);
    const written = things.put('a', 'one');
    expect(things.get('a')).toBe('one');
    await written;
    const removed = things.remove('a');
    expect(things.get('a')).toBeUndefined();
    await removed;
  });

  test('refuses an id that LMDB would choke on', async () => {
    const things = (await openIt()).collection('things', codec);
    const long = 'k'.repeat(5_000);
    await expect(things.put(long, 'x')).rejects.toThrow('too long');
    expect(things.get(long)).toBeUndefined();
    await things.put('a', 'one');
    await things.put('k'.repeat(1_500), 'longest');
    expect(things.all().size).toBe(2);
  });

  test('writes everything pending before it closes, and nothing afterwards', async () => {
    const store = await openIt();
    const things = store.collection('things', codec);
    const writes = Array.from({ length: 500 }, (_, index) => things.put(`k${index}`, 'x'.repeat(1_000)));
    await closeIt(store);
    await Promise.all(writes);
    await expect(things.put('late', 'x')).rejects.toThrow('closed');
    expect((await openIt()).collection('things', codec).all().size).toBe(500);
  });

  test('is for its owner alone: folder 0700, files 0600', async () => {
    await mkdir(folder);
    await chmod(folder, 0o755);
    const things = (await openIt()).collection('things', codec);
    await things.put('a', 'one');
    const modeOf = async (path: string) => ((await stat(path)).mode & 0o777).toString(8);
    expect(await modeOf(folder)).toBe('700');
    const files = await readdir(folder);
    expect(files).toContain('data.mdb');
    for (const file of files) expect([file, await modeOf(join(folder, file))]).toEqual([file, '600']);
  });

  test('opens each collection once', async () => {
    const store = await openIt();
    store.collection('things', codec);
    expect(() => store.collection('things', codec)).toThrow('in use');
    expect(() => store.collection('damaged', codec)).toThrow('in use');
  });
});

describe('a damaged record', () => {
  const NEWER = Buffer.from('{"v":2,"value":"from the future"}');
  const GARBAGE = Buffer.from([0, 0xff, 0x80, 1]);

  test('is set aside with its bytes and a log line; the others stay', async () => {
    const store = await openIt();
    await store.collection('things', codec).put('good', 'one');
    await closeIt(store);
    await withLmdb(async (database) => {
      await database('things').put('garbage', GARBAGE);
      await database('things').put('newer', NEWER);
      await database('things').put('shape', Buffer.from('{"v":1,"value":7}'));
    });
    const second = await openIt();
    expect([...second.collection('things', codec).all()]).toEqual([['good', 'one']]);
    expect(lines.map(({ message, fields }) => [message, fields.collection, fields.id])).toEqual(
      ['garbage', 'newer', 'shape'].map((id) => [
        'a stored record cannot be read; it was set aside',
        'things',
        id,
      ]),
    );
    await closeIt(second);

    const aside = await withLmdb((database) =>
      [...database('damaged').getRange()].map(({ key, value }) => [
        key.replace(/\d{13}$/, '<time>'),
        Buffer.from(value),
      ]),
    );
    expect(aside).toEqual([
      ['things/garbage/<time>', GARBAGE],
      ['things/newer/<time>', NEWER],
      ['things/shape/<time>', Buffer.from('{"v":1,"value":7}')],
    ]);

    lines = [];
    expect([...(await openIt()).collection('things', codec).all()]).toEqual([['good', 'one']]);
    expect(lines).toEqual([]);
  });
});
