import { mkdtemp, readdir, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { BlockReader } from '#dist/store/search/block-reader.js';
import { SearchStore } from '#dist/store/search/search-store.js';
import { scanBlocks } from '#dist/workers/jobs/search/scan.js';
import { jsonHits } from '../support/search.js';

const MiB = 1024 * 1024;
const reader = new BlockReader();

let folder: string;
let opened: SearchStore | undefined;
let logged: string[];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'at-search-'));
  logged = [];
});
afterEach(async () => {
  await opened?.close();
  await rm(folder, { recursive: true });
});

async function openStore(): Promise<SearchStore> {
  const log = (_fields: unknown, message?: string) => void logged.push(message ?? '');
  const logger = { warn: log, error: log } as never;
  opened = await SearchStore.open({ folder: join(folder, 'search'), maxBytes: () => 64 * MiB, logger });
  return opened;
}

function append(store: SearchStore, content: string): void {
  store.append({ terminalId: 'term_a', type: 'output', timestamp: 1, content });
}

function contents(store: SearchStore, query: string): string[] {
  const hits = jsonHits(scanBlocks(reader, { ...store.range, query, limit: 1_000 }));
  return hits.map(({ document }) => document.content);
}

/** Returns a text of about 60 KB. */
function textOf(seed: number): string {
  return Array.from({ length: 2_000 }, (_, index) => `${seed}-${index * 104_729} Compiled`).join('\n');
}

describe('a damaged search index', () => {
  async function spoilt(damage: (file: string) => Promise<void>): Promise<SearchStore> {
    const store = await openStore();
    for (let seed = 0; seed < 20; seed++) append(store, textOf(seed));
    await store.commit();
    const file = join(store.range.folder, 'data.mdb');
    await store.close();
    await damage(file);
    return openStore();
  }

  it('begins anew on garbage, which it moves aside', async () => {
    const again = await spoilt((file) => writeFile(file, Buffer.alloc(200_000, 0x5a)));
    append(again, 'fresh');
    await again.commit();
    expect(contents(again, 'e')).toEqual(['fresh']);
    expect(logged).toHaveLength(1);
    expect((await readdir(folder)).filter((name) => name.includes('damaged'))).toHaveLength(1);
  });

  it('with a truncated file serves the rest, and takes in more', async () => {
    const cut = async (file: string) => truncate(file, (await stat(file)).size - 700_000);
    const again = await spoilt(cut);
    append(again, 'fresh');
    await again.commit();
    expect(contents(again, 'fresh')).toEqual(['fresh']);
    const scan = () => scanBlocks(reader, { ...again.range, query: 'compiled', limit: 1_000 });
    await again.removeDamaged(again.range.folder, scan().damaged);
    await again.commit();
    expect(scan().damaged).toEqual([]);
  });
});
