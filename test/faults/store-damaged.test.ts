import { mkdir, mkdtemp, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { openStore } from '#dist/store/lmdb-store.js';
import type { Codec } from '#dist/store/store.js';

const codec: Codec<string> = { version: 1, schema: z.string() };

let root: string;
let folder: string;
let lines: { message: string; fields: Record<string, unknown> }[];

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'at-store-'));
  folder = join(root, 'store');
  lines = [];
});
afterEach(() => rm(root, { recursive: true }));

function openIt() {
  const log = (fields: object, message: string) =>
    void lines.push({ message, fields: fields as Record<string, unknown> });
  return openStore(folder, { warn: log, error: log } as never);
}

/** Each of these ends a process that opens or reads the environment, or makes LMDB refuse it. */
const DAMAGES: [string, (file: string, bytes: Buffer) => Promise<void>][] = [
  ['garbage', (file) => writeFile(file, Buffer.alloc(200_000, 0x5a))],
  ['a few letters', (file) => writeFile(file, 'hello')],
  ['zeros', (file) => writeFile(file, Buffer.alloc(200_000))],
  ['half of the file', (file, bytes) => truncate(file, bytes.length >> 1)],
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
];

describe('a damaged environment', () => {
  test.each(DAMAGES)('of %s is moved aside, and a fresh one works', async (_what, damage) => {
    const store = await openIt();
    const things = store.collection('things', codec);
    await Promise.all(Array.from({ length: 300 }, (_, i) => things.put(`k${i}`, `${i}`.repeat(500))));
    await store.close();
    const file = join(folder, 'data.mdb');
    await damage(file, await readFile(file));
    const damaged = (await stat(file)).isFile() ? await readFile(file) : undefined;

    const second = await openIt();
    expect(lines).toEqual([
      {
        message: 'the store is damaged; it was moved aside and begun anew',
        fields: { fault: expect.any(String), movedTo: expect.any(String) },
      },
    ]);
    const aside = String(lines[0]!.fields.movedTo);
    expect(basename(aside)).toMatch(/^store\.damaged-\d{13}$/);
    if (damaged) expect(await readFile(join(aside, 'data.mdb'))).toEqual(damaged);
    const fresh = second.collection('things', codec);
    expect(fresh.all().size).toBe(0);
    await fresh.put('new', 'one');
    await second.close();
    const third = await openIt();
    expect(third.collection('things', codec).get('new')).toBe('one');
    await third.close();
    expect(lines).toHaveLength(1);
  });

  test('an empty file is none: LMDB begins it anew', async () => {
    await mkdir(folder);
    await writeFile(join(folder, 'data.mdb'), '');
    const store = await openIt();
    await store.collection('things', codec).put('a', 'one');
    expect(lines).toEqual([]);
    await store.close();
  });
});
