import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { BlockReader } from '#dist/store/search/block-reader.js';
import { SearchStore } from '#dist/store/search/search-store.js';
import { scanBlocks } from '#dist/workers/jobs/search/scan.js';
import { suggestWords } from '#dist/workers/jobs/search/suggest.js';
import { jsonHits } from '../support/search.js';

const MiB = 1024 * 1024;

let folder: string;
let opened: SearchStore[];
let logged: string[];
let maxBytes: number;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'at-search-'));
  opened = [];
  logged = [];
  maxBytes = 64 * MiB;
});

afterEach(async () => {
  for (const store of opened) await store.close();
  await rm(folder, { recursive: true });
});

async function openStore(): Promise<SearchStore> {
  const log = (_fields: unknown, message?: string) => void logged.push(message ?? '');
  const logger = { warn: log, error: log } as never;
  const store = await SearchStore.open({ folder: join(folder, 'search'), maxBytes: () => maxBytes, logger });
  opened.push(store);
  return store;
}

async function close(store: SearchStore): Promise<void> {
  opened = opened.filter((each) => each !== store);
  await store.close();
}

let clock = 0;
function append(store: SearchStore, content: string, terminalId = 'term_a', type = 'output'): boolean {
  return store.append({ terminalId, type: type as 'output', timestamp: ++clock, content });
}

const reader = new BlockReader();

function search(store: SearchStore, query: string, filters: { terminalIds?: string[]; type?: 'input' } = {}) {
  return jsonHits(scanBlocks(reader, { ...store.range, query, limit: 1_000, ...filters }));
}

function contents(store: SearchStore, query: string, filters = {}): string[] {
  return search(store, query, filters).map(({ document }) => document.content);
}

/** Resolves with the deleted files of this test that the process still maps. */
async function deletedMaps(): Promise<string[]> {
  const maps = await readFile('/proc/self/maps', 'utf8');
  return maps.split('\n').filter((line) => line.includes(folder) && line.includes('(deleted)'));
}

/** About 60 KB of text that does not repeat. */
function blockOfText(seed: number): string {
  const line = (index: number) =>
    `${seed}-${index} ${(seed * 7_919 + index * 104_729).toString(36)} Compiled`;
  return Array.from({ length: 2_000 }, (_, index) => line(index)).join('\n');
}

async function fileBytes(store: SearchStore): Promise<number> {
  return (await stat(join(store.range.folder, 'data.mdb'))).size;
}

describe('the search store', () => {
  it('is released by its readers when it has moved, and only then', async () => {
    const store = await openStore();
    append(store, 'before');
    await store.commit();
    expect(contents(store, 'e')).toEqual(['before']);
    const moved: string[] = [];
    store.onMoved = (current) => void moved.push(current);
    await reader.release(store.range.folder);
    await store.clear();
    expect(moved).toEqual([store.range.folder]);
    expect(await deletedMaps()).not.toEqual([]);
    await reader.release(store.range.folder);
    expect(await deletedMaps()).toEqual([]);
  });

  it('finds what was committed, newest first, across a restart, under the same ids', async () => {
    const store = await openStore();
    for (const text of ['One Apple', 'two pears', 'Three APPLES']) append(store, text);
    await store.commit();
    const before = search(store, 'apple');
    expect(before.map(({ document }) => document.content)).toEqual(['Three APPLES', 'One Apple']);
    await close(store);
    const again = await openStore();
    expect(search(again, 'apple')).toEqual(before);
    expect(again.newestTimestamp).toBe(clock);
    append(again, 'a fourth apple');
    await again.commit();
    const after = search(again, 'apple');
    expect(after.slice(1)).toEqual(before);
    expect(new Set(after.map(({ document }) => document.id)).size).toBe(3);
  });

  it('shows a document in a block that is committed again and again as it grows', async () => {
    const store = await openStore();
    for (let round = 1; round <= 20; round++) {
      append(store, `round ${round}`);
      await store.commit();
      expect(contents(store, 'round')[0]).toBe(`round ${round}`);
      expect(contents(store, 'round')).toHaveLength(round);
    }
    expect(store.usage.blocks).toBe(1);
  });

  it('keeps cursors with the documents, and forgets those of removed terminals', async () => {
    const store = await openStore();
    for (const id of ['a', 'b', 'c']) store.setCursor(id, `cursor-${id}`);
    store.dropCursor('b');
    await close(store);
    const again = await openStore();
    expect(['a', 'b', 'c'].map((id) => again.cursorOf(id))).toEqual(['cursor-a', undefined, 'cursor-c']);
    again.keepCursorsOf(new Set(['c']));
    await close(again);
    const third = await openStore();
    expect(['a', 'c'].map((id) => third.cursorOf(id))).toEqual([undefined, 'cursor-c']);
  });

  it('filters by terminal and type', async () => {
    const store = await openStore();
    append(store, 'make test', 'term_a', 'input');
    append(store, 'make: *** test', 'term_a');
    append(store, 'make test', 'term_b', 'input');
    await store.commit();
    expect(search(store, 'make', { terminalIds: ['term_a'] })).toHaveLength(2);
    expect(search(store, 'make', { type: 'input' })).toHaveLength(2);
    expect(contents(store, 'make', { terminalIds: ['term_b'], type: 'input' })).toEqual(['make test']);
    expect(contents(store, 'make', { terminalIds: ['term_c'] })).toEqual([]);
  });

  it('does not find a query that spans two documents, and finds the next that does not', async () => {
    const store = await openStore();
    for (const text of ['ends with foo', 'bar begins', 'foobar']) append(store, text);
    await store.commit();
    expect(contents(store, 'foobar')).toEqual(['foobar']);
  });

  it('holds its file within the bound, the oldest text dropped first', async () => {
    maxBytes = 16 * MiB;
    const store = await openStore();
    let largest = 0;
    for (let seed = 0; seed < 600; seed++) {
      append(store, blockOfText(seed));
      if (seed % 3 !== 0) continue;
      await store.commit();
      largest = Math.max(largest, await fileBytes(store));
    }
    await store.commit();
    expect(largest).toBeLessThanOrEqual(maxBytes);
    expect(store.usage.textBytes).toBeGreaterThan(8 * MiB);
    expect(contents(store, '599-1999 ')).toHaveLength(1);
    expect(contents(store, '0-1999 ')).not.toContain(blockOfText(0));
    expect(store.range.folder).toMatch(/1$/);
  });

  it('becomes smaller when the bound does, and keeps the newest text under the same ids', async () => {
    const store = await openStore();
    for (let seed = 0; seed < 500; seed++) append(store, blockOfText(seed));
    store.setCursor('term_a', 'cursor');
    await store.commit();
    expect(await fileBytes(store)).toBeGreaterThan(16 * MiB);
    const before = search(store, '499-1999 ');
    maxBytes = 16 * MiB;
    append(store, 'after the change');
    await store.commit();
    expect(await fileBytes(store)).toBeLessThanOrEqual(maxBytes);
    expect(store.usage.textBytes).toBeGreaterThan(6 * MiB);
    expect(search(store, '499-1999 ')).toEqual(before);
    expect(contents(store, 'after the change')).toHaveLength(1);
    expect(store.cursorOf('term_a')).toBe('cursor');
    expect(await readdir(join(folder, 'search'))).toHaveLength(1);
  });

  it('forgets everything when cleared: committed, waiting, and on the disk', async () => {
    const store = await openStore();
    append(store, 'a committed secret');
    await store.commit();
    append(store, 'a waiting secret');
    store.setCursor('term_a', 'cursor');
    await store.clear();
    append(store, 'afterwards');
    await store.commit();
    expect(contents(store, 'secret')).toEqual([]);
    expect(contents(store, 'afterwards')).toEqual(['afterwards']);
    expect(store.cursorOf('term_a')).toBe('cursor');
    expect(await readdir(join(folder, 'search'))).toEqual(['2']);
    await close(store);
    expect(contents(await openStore(), 'a')).toEqual(['afterwards']);
  });

  it('changes nothing when clearing fails', async () => {
    const store = await openStore();
    append(store, 'still here');
    await writeFile(join(folder, 'search', '2'), 'in the way');
    await expect(store.clear()).rejects.toThrow();
    await store.commit();
    expect(contents(store, 'still')).toEqual(['still here']);
  });

  it('suggests whole words by their beginning, in the case of the text', async () => {
    const store = await openStore();
    append(store, 'Compile compiler RECOMPILE compiled_2 compilé компилятор');
    append(store, `comp${'x'.repeat(200)} decompile compile`);
    await store.commit();
    const words = (prefix: string) => suggestWords(reader, { ...store.range, prefix, limit: 10 }).words;
    expect(words('comp').sort()).toEqual(['Compile', 'compile', 'compiled_2', 'compiler', 'compilé'].sort());
    expect(words('комп')).toEqual(['компилятор']);
    expect(words('omp')).toEqual([]);
    append(store, 'नमस्ते दुनिया cafe\u0301s');
    await store.commit();
    expect(words('नम')).toEqual(['नमस्ते']);
    expect(words('cafe')).toEqual(['cafe\u0301s']);
  });
});
