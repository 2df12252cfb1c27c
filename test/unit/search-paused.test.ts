import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { SearchIndex } from '#dist/actors/search/search-index.js';
import { BlockReader } from '#dist/store/search/block-reader.js';
import { SearchStore } from '#dist/store/search/search-store.js';
import { scanBlocks } from '#dist/workers/jobs/search/scan.js';

it('takes nothing in while the disk is nearly full, and reports it in its answers', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'at-paused-'));
  const logger = { warn() {}, error() {} } as never;
  const store = await SearchStore.open({ folder: join(folder, 'search'), maxBytes: () => 2 ** 26, logger });
  onTestFinished(async () => {
    await store.close();
    await rm(folder, { recursive: true });
  });
  const reader = new BlockReader();
  const jobs = { run: async (_name: string, input: never) => scanBlocks(reader, input) } as never;
  let isPaused = false;
  const index = new SearchIndex({
    ...{ store, jobs, logger, isEnabled: () => true, isPaused: () => isPaused },
    ...{ settleFeeds: async () => {}, isShown: async () => true },
  });
  const print = (content: string) =>
    index.onEvent({ type: 'printed', id: 'term_a', content, cursor: '1-0-0-0', leftOut: 0 });
  const answer = async (query: string) =>
    JSON.parse(Buffer.from(await index.search({ query, filters: {}, limit: 10 })).toString());

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
