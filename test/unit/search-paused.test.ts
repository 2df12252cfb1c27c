import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { SearchIndex } from '#dist/actors/search/search-index.js';
import { BlockReader } from '#dist/store/search/block-reader.js';
import { SearchStore } from '#dist/store/search/search-store.js';
import { scanBlocks } from '#dist/workers/jobs/search/scan.js';
import { NOT_REDACTED } from '../support/search.js';

/** An index in a folder of its own, and its store. */
async function opened(isPaused: () => boolean) {
  const folder = await mkdtemp(join(tmpdir(), 'at-paused-'));
  const logger = { warn() {}, error() {} } as never;
  const store = await SearchStore.open({ folder: join(folder, 'search'), maxBytes: () => 2 ** 26, logger });
  onTestFinished(async () => {
    await store.close();
    await rm(folder, { recursive: true });
  });
  const reader = new BlockReader();
  const jobs = { run: async (_name: string, input: never) => scanBlocks(reader, input) } as never;
  const index = new SearchIndex({
    ...{ store, jobs, logger, isEnabled: () => true, isPaused },
    redaction: NOT_REDACTED,
    ...{ settleFeeds: async () => {}, isShown: async () => true },
  });
  const print = (content: string) =>
    index.onEvent({ type: 'printed', id: 'term_a', content, cursor: '1-0-0-0', leftOut: 0 });
  const answer = async (query: string) =>
    JSON.parse(Buffer.from(await index.search({ query, filters: {}, limit: 10 })).toString());
  return { store, index, print, answer };
}

it('takes nothing in while the disk is nearly full, and reports it in its answers', async () => {
  let isPaused = false;
  const { index, print, answer } = await opened(() => isPaused);
  print('before');
  isPaused = true;
  print('meanwhile');
  const document = expect.objectContaining({ content: 'before' });
  expect(await answer('e')).toEqual({
    paused: 'disk-full',
    results: [expect.objectContaining({ document })],
  });
  expect(index.stats().isFeeding).toBe(false);
  isPaused = false;
  print('afterwards');
  expect(await answer('afterwards')).toEqual({ results: [expect.objectContaining({ score: 1 })] });
});

it('reports when the newest text was not stored in time, or not at all', async () => {
  const { store, print, answer } = await opened(() => false);
  print('stored');
  const results = [expect.objectContaining({ score: 1 })];
  expect(await answer('stored')).toEqual({ results });
  const commit = vi.spyOn(store, 'commit');
  commit.mockReturnValueOnce(new Promise(() => undefined));
  expect(await answer('stored')).toEqual({ results, behind: true });
  commit.mockRejectedValueOnce(new Error('no space is left'));
  expect(await answer('stored')).toEqual({ results, behind: true });
  expect(await answer('stored')).toEqual({ results });
});
