import { execFileSync } from 'node:child_process';
import {
  cp,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  truncate,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { open } from 'lmdb';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { openStore } from '#dist/store/lmdb-store.js';
import type { Codec, Store } from '#dist/store/store.js';

const codec: Codec<string> = { version: 1, schema: z.string() };
const RECORDS = 300;

let root: string;
let folder: string;
let lines: { message: string; fields: Record<string, unknown> }[];

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'at-store-'));
  folder = join(root, 'store');
  lines = [];
});
afterEach(() => rm(root, { recursive: true }));

function openIt(): Promise<Store> {
  const log = (fields: object, message: string) =>
    void lines.push({ message, fields: fields as Record<string, unknown> });
  return openStore(folder, { warn: log, error: log } as never);
}

const thingsOf = (store: Store) => store.collection('things', codec);
const idOf = (index: number) => `k${String(index).padStart(3, '0')}`;
const textOf = (index: number) => `${index} `.repeat(500);

/** Fills a store with records and closes it, which leaves a copy. */
async function filled(): Promise<void> {
  const store = await openIt();
  const things = thingsOf(store);
  for (let index = 0; index < RECORDS; index++) await things.put(idOf(index), textOf(index));
  await store.close();
}

/** Damage that ends a process that opens or reads the file, or makes LMDB refuse it. */
const DAMAGES: [string, (file: string, bytes: Buffer) => Promise<void>][] = [
  ['garbage', (file) => writeFile(file, Buffer.alloc(200_000, 0x5a))],
  ['a few letters', (file) => writeFile(file, 'hello')],
  ['zeros', (file) => writeFile(file, Buffer.alloc(200_000))],
  ['a quarter of the file', (file, bytes) => truncate(file, bytes.length >> 2)],
  [
    'garbage in its pages, its head left whole',
    (file, bytes) => writeFile(file, Buffer.from(bytes).fill(0x5a, 8_192)),
  ],
  [
    'a folder in its place',
    async (file) => {
      await rm(file);
      await mkdir(file);
    },
  ],
  [
    'a FIFO in its place',
    async (file) => {
      await rm(file);
      execFileSync('mkfifo', [file]);
    },
  ],
];

const PAGE_BYTES = 4096;
/** Offset in a page's head, and the bit that marks a page of records. */
const FLAGS_AT = 18;
const LEAF = 2;

/** Damages the pages of records that name `id`: the branches above them stay whole. */
function spoilLeavesOf(bytes: Buffer, id: string): Buffer {
  const spoilt = Buffer.from(bytes);
  for (let page = 0; page < spoilt.length; page += PAGE_BYTES) {
    const isLeaf = (spoilt.readUInt16LE(page + FLAGS_AT) & LEAF) !== 0;
    if (isLeaf && spoilt.subarray(page, page + PAGE_BYTES).includes(id))
      spoilt.fill(0x5a, page, page + PAGE_BYTES);
  }
  return spoilt;
}

describe('a damaged environment', () => {
  test.each(DAMAGES)('of %s is moved aside; a copy has everything', async (_what, damage) => {
    await filled();
    const file = join(folder, 'data.mdb');
    await damage(file, await readFile(file));
    const damaged = (await stat(file)).isFile() ? await readFile(file) : undefined;

    const second = await openIt();
    expect(lines).toEqual([
      {
        message: 'the store is damaged; it was moved aside, and what can be read was kept',
        fields: {
          ...{ fault: expect.any(String), movedTo: expect.any(String) },
          ...{ records: expect.any(Number), fromCopy: expect.any(Number) },
        },
      },
    ]);
    const aside = String(lines[0]!.fields.movedTo);
    expect(basename(aside)).toMatch(/^store\.damaged-\d{13}$/);
    if (damaged) expect(damaged.equals(await readFile(join(aside, 'data.mdb')))).toBe(true);
    const things = thingsOf(second);
    expect(things.all().size).toBe(RECORDS);
    await things.put('new', 'one');
    await second.close();
    const third = await openIt();
    expect(thingsOf(third).get('new')).toBe('one');
    await third.close();
    expect(lines).toHaveLength(1);
  });

  test('without a copy begins anew if nothing can be read', async () => {
    await filled();
    await rm(`${folder}.copy`, { recursive: true });
    await writeFile(join(folder, 'data.mdb'), 'hello');
    const store = await openIt();
    expect(thingsOf(store).all().size).toBe(0);
    expect(lines).toHaveLength(1);
    await store.close();
  });

  test('of one page is read from both ends; the copy has the records between', async () => {
    await filled();
    await cp(`${folder}.copy`, join(root, 'old-copy'), { recursive: true });
    // Changes after the copy: a record before the damage, a record behind it, and a removed record.
    const store = await openIt();
    const things = thingsOf(store);
    await things.put(idOf(5), 'changed');
    await things.put(idOf(295), 'changed');
    await things.remove(idOf(290));
    await store.close();
    await rm(`${folder}.copy`, { recursive: true });
    const file = join(folder, 'data.mdb');
    await writeFile(file, spoilLeavesOf(await readFile(file), idOf(150)));

    await cp(folder, join(root, 'damaged'), { recursive: true });
    const alone = await openIt();
    const kept = thingsOf(alone).all();
    expect([kept.get(idOf(5)), kept.get(idOf(295)), kept.get(idOf(150))]).toEqual([
      'changed',
      'changed',
      undefined,
    ]);
    expect(kept.size).toBeGreaterThan(RECORDS / 2);
    await alone.close();

    await rm(folder, { recursive: true });
    await rm(`${folder}.copy`, { recursive: true });
    await rename(join(root, 'damaged'), folder);
    await rename(join(root, 'old-copy'), `${folder}.copy`);
    const whole = await openIt();
    const all = thingsOf(whole).all();
    expect([all.get(idOf(5)), all.get(idOf(295)), all.get(idOf(290))]).toEqual([
      'changed',
      'changed',
      undefined,
    ]);
    expect(all.get(idOf(150))).toBe(textOf(150));
    expect(all.size).toBe(RECORDS - 1);
    await whole.close();
  });

  test('being rebuilt when the service was killed is there at the next start', async () => {
    await filled();
    await rename(folder, `${folder}.new`);
    const store = await openIt();
    expect(thingsOf(store).all().size).toBe(RECORDS);
    await store.close();
    // If the new store is half made, the old store still exists and is read again.
    await mkdir(`${folder}.new`);
    const again = await openIt();
    expect(thingsOf(again).all().size).toBe(RECORDS);
    await again.close();
    expect(lines).toEqual([]);
    expect((await readdir(root)).sort()).toEqual(['store', 'store.copy']);
  });
});

describe('a sound environment', () => {
  test('whose last pages are free, and were never written, is opened as it is', async () => {
    await filled();
    const raw = open<Buffer, string>({ path: folder, maxDbs: 32, encoding: 'binary' });
    raw.transactionSync(() => {
      raw.putSync('large', Buffer.alloc(2_000_000));
      raw.removeSync('large');
    });
    const { lastPageNumber, pageSize } = raw.getStats() as { lastPageNumber: number; pageSize: number };
    await raw.close();
    const { size } = await stat(join(folder, 'data.mdb'));
    expect(size).toBeLessThan((lastPageNumber + 1) * pageSize);
    const store = await openIt();
    const things = thingsOf(store);
    expect(things.all().size).toBe(RECORDS);
    for (let index = 0; index < RECORDS; index++) await things.put(`more${index}`, textOf(index));
    await store.close();
    const again = await openIt();
    expect(thingsOf(again).all().size).toBe(2 * RECORDS);
    await again.close();
    expect(lines).toEqual([]);
  });
});

describe('an empty data file', () => {
  test('is no damage: LMDB begins it anew', async () => {
    await mkdir(folder);
    await writeFile(join(folder, 'data.mdb'), '');
    const store = await openIt();
    await thingsOf(store).put('a', 'one');
    expect(lines).toEqual([]);
    await store.close();
  });

  test.each([
    ['empty', (file: string) => truncate(file, 0)],
    ['gone', (file: string) => rm(file)],
  ])('or one that is %s loses nothing that the copy has', async (_what, lose) => {
    await filled();
    await lose(join(folder, 'data.mdb'));
    const store = await openIt();
    expect(thingsOf(store).all().size).toBe(RECORDS);
    expect(lines.map(({ fields }) => fields.fromCopy)).toEqual([expect.any(Number)]);
    await store.close();
  });
});
