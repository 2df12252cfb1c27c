import { mkdtemp, open, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { SearchIndex } from '#dist/actors/search/search-index.js';
import { BlockReader } from '#dist/store/search/block-reader.js';
import { SearchStore } from '#dist/store/search/search-store.js';
import { scanBlocks } from '#dist/workers/jobs/search/scan.js';
import { suggestWords } from '#dist/workers/jobs/search/suggest.js';
import { NOT_REDACTED, type SearchHit } from '../support/search.js';

let folder: string;
let store: SearchStore;
let index: SearchIndex;
let logged: string[];
let beforeJob: () => Promise<void>;
let isEnabled: boolean;
/** The current folder in each notification to readers. */
let released: string[];
const reader = new BlockReader();

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'at-search-'));
  logged = [];
  beforeJob = async () => {};
  isEnabled = true;
  released = [];
  await openIndex();
});
afterEach(async () => {
  await index.close();
  await rm(folder, { recursive: true });
});

/** Opens the index with its jobs in this thread. */
async function openIndex(): Promise<void> {
  const log = (_fields: unknown, message?: string) => void logged.push(message ?? '');
  const logger = { warn: log, error: log } as never;
  const maxBytes = () => 64 * 1024 * 1024;
  store = await SearchStore.open({ folder: join(folder, 'search'), maxBytes, logger });
  const jobs = {
    run: async (name: string, input: never) => {
      await beforeJob();
      return name === 'scanSearchIndex' ? scanBlocks(reader, input) : suggestWords(reader, input);
    },
    runInIdle: async (_name: string, { current }: { current: string }) => {
      await reader.release(current);
      released.push(current);
    },
  } as never;
  const rest = { isEnabled: () => isEnabled, settleFeeds: async () => {}, isShown: async () => true };
  index = new SearchIndex({ store, jobs, logger, isPaused: () => false, redaction: NOT_REDACTED, ...rest });
}

const WRITTEN = { at: 0, isHidden: false, position: 0 };
let position = 0;
function print(content: string, { id = 'term_a', leftOut = 0 } = {}): void {
  index.onEvent({ type: 'printed', id, content, cursor: `${++position}-0-0-0`, leftOut });
}

async function search(
  query: string,
  limit = 50,
  filters: { type?: 'input' | 'error' } = {},
): Promise<SearchHit[]> {
  const answer = await index.search({ query, filters, limit });
  return (JSON.parse(Buffer.from(answer).toString('utf8')) as { results: SearchHit[] }).results;
}

const contents = async (query: string, limit = 50) =>
  (await search(query, limit)).map(({ document }) => document.content);

it('finds text just taken in, and counts it', async () => {
  print('one\ntwo', { leftOut: 5 });
  expect(await contents('TWO')).toEqual(['one\ntwo']);
  expect(index.stats()).toMatchObject({ blocks: 1, textBytes: 7, indexedBytes: 7, leftOutBytes: 5 });
});

it('searches through many blocks, newest first, and stops at the limit', async () => {
  const filler = Array.from({ length: 150 }, (_, line) => `line ${line} of some text`).join('\n');
  // More text than the first step searches.
  for (let document = 0; document < 3_800; document++) print(`${filler}\nnumber ${document}.`);
  await store.commit();
  expect(store.usage.blocks).toBeGreaterThan(150);
  expect(await contents('number 3.')).toEqual([`${filler}\nnumber 3.`]);
  const newest = (await contents('number', 150)).map((text) => text.slice(text.lastIndexOf(' ') + 1));
  expect(newest).toEqual(Array.from({ length: 150 }, (_, back) => `${3_799 - back}.`));
  expect(await contents('number x')).toEqual([]);
});

it('splits long text into documents, and keeps time monotonic', async () => {
  const lines = Array.from({ length: 4_000 }, (_, line) => `line ${line}`);
  print(lines.join('\n'));
  const hits = await search('line', 1_000);
  expect(hits.length).toBeGreaterThan(2);
  expect(hits.flatMap(({ document }) => document.content.split('\n')).sort()).toEqual(lines.sort());
  const times = hits.map(({ document }) => document.timestamp);
  expect(times).toEqual([...times].sort().reverse());
});

it('keeps the cursor of a live terminal, and drops it with the terminal, whose last text comes later', async () => {
  expect(index.planFor('term_a')).toEqual({ cursor: undefined });
  print('text');
  expect(index.planFor('term_a')).toEqual({ cursor: `${position}-0-0-0` });
  index.onEvent({ type: 'removed', id: 'term_a', reason: 'closed' });
  print('last words');
  expect(store.cursorOf('term_a')).toBeUndefined();
  expect(await contents('last words')).toEqual(['last words']);
});

it('indexes typed lines only of terminals that it was asked to plan for', async () => {
  index.planFor('term_a');
  for (const id of ['term_a', 'term_b']) {
    index.onEvent({ type: 'written', id, parts: [{ data: 'secret\r' }], ...WRITTEN });
  }
  const hits = await search('secret', 50, { type: 'input' });
  expect(hits.map(({ document }) => document.terminalId)).toEqual(['term_a']);
});

it('keeps output of failed commands as errors, and counts missing output', async () => {
  print('oh no');
  index.failed('term_a', 'oh no');
  index.leftOut(7);
  expect((await search('oh no', 50, { type: 'error' })).length).toBe(1);
  expect(index.stats()).toMatchObject({ indexedBytes: 10, leftOutBytes: 7 });
});

it('takes in nothing while the setting is off', async () => {
  isEnabled = false;
  print('unwanted');
  index.failed('term_a', 'unwanted');
  expect(await contents('unwanted')).toEqual([]);
});

it('deletes a damaged block with one log line, and finds the rest', async () => {
  print('a healthy wombat');
  await index.close();
  await openIndex();
  print('a damaged wombat');
  const file = join(store.range.folder, 'data.mdb');
  await index.close();
  const at = (await readFile(file)).indexOf('damaged wombat');
  const handle = await open(file, 'r+');
  await handle.write('DAMAGED', at);
  await handle.close();
  await openIndex();
  for (let round = 0; round < 3; round++) expect(await contents('wombat')).toEqual(['a healthy wombat']);
  expect(logged).toHaveLength(1);
  expect(store.usage.textBytes).toBe('a healthy wombat'.length);
});

it('searches again if the index was cleared during the search', async () => {
  print('before');
  await store.commit();
  let cleared = 0;
  beforeJob = async () => {
    if (cleared++ > 0) return;
    await index.clear();
    print('after');
    await store.commit();
    throw new Error('the file is gone');
  };
  expect(await contents('e')).toEqual(['after']);
});

it('refuses more searches at once than it can serve, and serves again afterwards', async () => {
  print('text');
  const answers = await Promise.allSettled(Array.from({ length: 60 }, () => contents('text')));
  const refused = answers.filter(({ status }) => status === 'rejected');
  expect(refused).toHaveLength(60 - 32);
  expect(String((refused[0] as PromiseRejectedResult).reason)).toMatch(/Temporarily unavailable/);
  expect(await contents('text')).toEqual(['text']);
});

it('runs four searches at a time, in the order they came', async () => {
  print('text');
  let most = 0;
  let working = 0;
  const released: Array<() => void> = [];
  beforeJob = async () => {
    most = Math.max(most, ++working);
    await new Promise<void>((resolve) => released.push(resolve));
    working--;
  };
  const answers = Array.from({ length: 10 }, () => contents('text'));
  for (let served = 0; served < 10; served++) {
    await vi.waitFor(() => expect(released.length).toBeGreaterThan(0));
    released.shift()?.();
  }
  expect(await Promise.all(answers)).toEqual(Array(10).fill(['text']));
  expect(most).toBe(4);
});

it('searches without documents that are not committed in time, as behind a clearing', async () => {
  print('committed');
  await store.commit();
  vi.spyOn(store, 'commit').mockReturnValue(new Promise(() => {}));
  expect(await contents('committed')).toEqual(['committed']);
  vi.restoreAllMocks();
});

it('makes readers release the index once it is cleared', async () => {
  print('text');
  expect(await contents('text')).toEqual(['text']);
  await index.clear();
  expect(released).toEqual([store.range.folder]);
});

it('follows a clock that was ahead and was put right, and forgets its time with the index', async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  try {
    const times = async () => (await search('text')).map(({ document }) => document.timestamp);
    vi.setSystemTime('2026-03-01T12:00:00.000Z');
    print('text 1');
    vi.setSystemTime('2026-03-01T11:59:55.000Z');
    print('text 2');
    vi.setSystemTime('2026-02-01T00:00:00.000Z');
    print('text 3');
    const [ahead, right] = ['2026-03-01T12:00:00.000Z', '2026-02-01T00:00:00.000Z'];
    expect(await times()).toEqual([right, ahead, ahead]);
    vi.setSystemTime('2026-02-01T00:00:05.000Z');
    print('text 4');
    await index.clear();
    vi.setSystemTime('2026-02-01T00:00:01.000Z');
    print('text 5');
    expect(await times()).toEqual(['2026-02-01T00:00:01.000Z']);
  } finally {
    vi.useRealTimers();
  }
});

it('suggests ten words if steps find the same words', async () => {
  const filler = Array.from({ length: 300 }, (_, line) => `line ${line} of some text`).join('\n');
  print(Array.from({ length: 30 }, (_, word) => `apple${word}`).join(' '));
  // The newest step has nine of the words, and older steps have some of them, too.
  for (let document = 0; document < 2_000; document++) print(filler);
  print(Array.from({ length: 9 }, (_, word) => `apple${word}`).join(' '));
  // A search waits only a while for text to be stored, and this text has 15 MB.
  await store.commit();
  expect(new Set(await index.suggest('apple')).size).toBe(10);
});

it('leaves out text that comes faster than it can take in, and counts it', async () => {
  const text = 'x'.repeat(1024 * 1024);
  for (let round = 0; round < 40; round++) print(text);
  const { indexedBytes, leftOutBytes } = index.stats();
  expect(indexedBytes + leftOutBytes).toBe(40 * text.length);
  expect(indexedBytes).toBeGreaterThanOrEqual(15 * text.length);
  expect(leftOutBytes).toBeGreaterThan(8 * text.length);
});
