import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdirSync, openSync, statSync, writeFileSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { resolvePaths } from '../../src/config/paths.js';
import { BlockReader } from '../../src/store/search/block-reader.js';
import { SearchStore } from '../../src/store/search/search-store.js';
import { createApi } from '../../test/support/http.js';
import type { Row } from '../report.js';
import type { Bench, Steps } from '../support/bench.js';
import { LogText } from '../support/log-text.js';
import { startOurs } from '../support/our-service.js';
import { median, percentile } from '../support/stats.js';
import { tempFolder } from '../support/temp-folder.js';

const MiB = 1024 * 1024;
/** More text than fits, so that old text has to be dropped. */
const PRINTED_BYTES = 1_200 * MiB;
const MAX_BYTES = 1_280 * MiB;
const DOCUMENT_BYTES = 4 * 1024;
const ROUNDS = 7;
const EARLY_ROUNDS = 50;

/** Queries that match in one of the newest blocks. */
const EARLY = ['Unused Variable', 'COMPILED', 'mozilla/5.0', '✓ error'];

/** Queries without a match. Signatures rule out the first two queries; all parts of the others occur in the text. */
const ABSENT = [
  { name: 'rare words', query: 'Übersetzung fehlgeschlagen' },
  { name: 'a rare run', query: 'xylophone' },
  { name: 'common words, never so', query: 'warning compiled module: unused index' },
  { name: 'a common line, never so', query: 'at src/worker/thread.ts: warning' },
  { name: 'a short one', query: 'ing: #' },
];

/** Measures searches of 1 GiB of indexed text in a running service, compared with grep, and the size of the index. */
export async function search({ cleanup, progress }: Bench): Promise<Row[]> {
  const home = tempFolder(cleanup);
  const file = join(home, 'text');
  const { searchFolder, configFile } = resolvePaths({
    ...{ env: { AUTO_TERMINAL_HOME: home }, platform: process.platform, tmpFolder: tmpdir() },
  });
  mkdirSync(join(configFile, '..'), { recursive: true, mode: 0o700 });
  mkdirSync(join(searchFolder, '..'), { recursive: true, mode: 0o700 });
  writeFileSync(configFile, JSON.stringify({ search: { maxBytes: MAX_BYTES } }), { mode: 0o600 });
  progress.note('fills the index');
  const filled = await fill(searchFolder, file);
  const service = await startOurs(cleanup, { home });
  return [...filled, ...(await measure(service.url, file, progress))];
}

/** Fills the index as the service does, and writes the text that it then holds into one file. */
async function fill(folder: string, file: string): Promise<Row[]> {
  const store = await SearchStore.open({ folder, maxBytes: () => MAX_BYTES, logger: console });
  const text = new LogText(1);
  const begin = performance.now();
  let largest = 0;
  for (let printed = 0, timestamp = 0; printed < PRINTED_BYTES; timestamp++) {
    const content = text.lines(DOCUMENT_BYTES);
    printed += content.length;
    store.append({ terminalId: `term_${timestamp % 20}`, type: 'output', timestamp, content });
    if (timestamp % 64 !== 0) continue;
    await store.commit();
    largest = Math.max(largest, statSync(join(store.range.folder, 'data.mdb')).size);
  }
  const seconds = (performance.now() - begin) / 1000;
  writeText(store, file);
  const { textBytes } = store.usage;
  await store.close();
  return [
    { name: 'search: text in the index', value: textBytes / MiB, unit: 'MiB' },
    {
      name: 'search: largest data file',
      value: largest / MiB,
      unit: 'MiB',
      peer: { name: 'search.maxBytes', value: MAX_BYTES / MiB },
    },
    { name: 'search: generating and storing', value: PRINTED_BYTES / MiB / seconds, unit: 'MiB/s' },
  ];
}

function writeText(store: SearchStore, file: string): void {
  const target = openSync(file, 'w');
  const { folder, oldest, newest } = store.range;
  const reader = new BlockReader();
  for (let number = oldest; number <= newest; number++) {
    for (const { view } of reader.blocks(folder, { oldest: number, newest: number }, () => true, [])) {
      for (let index = 0; index < view.count; index++) writeSync(target, `${view.content(index).content}\n`);
    }
  }
  closeSync(target);
}

async function measure(url: string, file: string, progress: Steps): Promise<Row[]> {
  const api = createApi(url, { unchecked: true });
  const searchFor = async (query: string, expected: number) => {
    const begin = performance.now();
    const { body } = await api.post<{ results: unknown[] }>('/api/search', { query });
    const ms = performance.now() - begin;
    if (body.results.length !== expected)
      throw new Error(`${query}: ${body.results.length} hits, not ${expected}`);
    return ms;
  };
  // A warm-up of the client, whose first request takes longer than the search.
  await api.get('/api/system/info');
  const first = await searchFor('error', 50);
  const early: number[] = [];
  for (let round = 0; round < EARLY_ROUNDS; round++) {
    progress.round(round + 1, EARLY_ROUNDS, { what: 'matches early' });
    for (const query of EARLY) early.push(await searchFor(query, 50));
  }
  const rows: Row[] = [
    { name: 'search, matches early: the first', value: first, unit: 'ms' },
    { name: 'search, matches early: p50', value: median(early), unit: 'ms' },
    { name: 'search, matches early: p99', value: percentile(early, 99), unit: 'ms' },
  ];
  for (const { name, query } of ABSENT) {
    const ours: number[] = [];
    const peers = new Map<string, number[]>([
      ['C.UTF-8', []],
      ['C', []],
    ]);
    for (let round = 0; round < ROUNDS; round++) {
      progress.round(round + 1, ROUNDS, { what: name });
      ours.push(await searchFor(query, 0));
      for (const [locale, times] of peers) times.push(await grep(locale, query, file));
    }
    for (const [locale, times] of peers) {
      const peer = { name: `grep -i -F, locale ${locale}`, value: median(times) };
      rows.push({ name: `search, no match: ${name}`, value: median(ours), unit: 'ms', peer });
    }
  }
  return rows;
}

/** Resolves with the milliseconds that grep takes to find nothing in the file. */
async function grep(locale: string, query: string, file: string): Promise<number> {
  const begin = performance.now();
  const child = spawn('grep', ['-i', '-F', '-c', '--', query, file], {
    env: { ...process.env, LC_ALL: locale },
    stdio: 'ignore',
  });
  const [code] = await once(child, 'exit');
  if (code !== 1) throw new Error(`grep for ${query} ended with ${code}`);
  return performance.now() - begin;
}
