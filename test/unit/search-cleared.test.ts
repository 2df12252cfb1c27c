import { mkdirSync, rmSync } from 'node:fs';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { BlockReader } from '#dist/store/search/block-reader.js';
import { Generations } from '#dist/store/search/generations.js';
import { SearchStore } from '#dist/store/search/search-store.js';
import { scanBlocks } from '#dist/workers/jobs/search/scan.js';
import { jsonHits } from '../support/search.js';

let folder: string;
let store: SearchStore;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'at-search-'));
  store = await open();
});

afterEach(async () => {
  vi.restoreAllMocks();
  await store.close();
  await rm(folder, { recursive: true });
});

function open(): Promise<SearchStore> {
  const logger = { warn: () => undefined, error: () => undefined } as never;
  return SearchStore.open({ folder, maxBytes: () => 64 * 1024 * 1024, logger });
}

function append(...contents: string[]): void {
  for (const content of contents)
    store.append({ terminalId: 'term_a', type: 'output', timestamp: 1, content });
}

function contents(): string[] {
  const scanned = scanBlocks(new BlockReader(), { ...store.range, query: 'text', limit: 1_000 });
  return jsonHits(scanned)
    .map(({ document }) => document.content)
    .sort();
}

it('an index whose next file cannot be opened stays as it is, also after a restart', async () => {
  append('text one');
  await store.commit();
  const { turn } = Generations.prototype;
  vi.spyOn(Generations.prototype, 'turn').mockImplementationOnce(function (this: Generations, open) {
    return turn.call(this, (to) => {
      rmSync(join(to, 'data.mdb'));
      mkdirSync(join(to, 'data.mdb'));
      return open(to);
    });
  });
  await expect(store.clear()).rejects.toThrow();
  append('text two');
  await store.commit();
  expect(contents()).toEqual(['text one', 'text two']);
  await store.close();
  store = await open();
  expect(contents()).toEqual(['text one', 'text two']);
  await store.clear();
  expect(contents()).toEqual([]);
});

it('an index whose former file cannot be deleted is cleared, and that file goes with the next clearing', async () => {
  const moved: string[] = [];
  store.onMoved = (to) => void moved.push(to);
  append('text one');
  await store.commit();
  append('text that waits');
  vi.spyOn(Generations.prototype, 'removeOld').mockRejectedValueOnce(new Error('the disk fails'));
  await expect(store.clear()).rejects.toThrow('the disk fails');
  append('text two');
  await store.commit();
  expect(contents()).toEqual(['text two']);
  expect(await readdir(folder)).toEqual(['1', '2']);
  await store.clear();
  expect(await readdir(folder)).toEqual(['3']);
  expect(moved.map((to) => to.slice(-2))).toEqual(['/2', '/3']);
});
