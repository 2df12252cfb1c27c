import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Terminal } from '#dist/contract/terminal.js';
import { type AppInProcess, startAppInProcess } from '../support/app.js';
import { type Api, createApi } from '../support/http.js';
import { eventually } from '../support/processes.js';
import { found, search } from '../support/search.js';

/** Fewer deaths than a shard's restart budget per minute. */
const ROUNDS = 4;
const LINES = 40;

/** Prints some lines of its own for each typed line. */
const PROGRAM = `stty -echo; echo ready; while read round; do i=0; while [ $i -lt ${LINES} ]; do i=$((i+1)); echo "numbat $round.$i."; done; done`;

let running: AppInProcess;
let api: Api;
beforeAll(async () => {
  running = await startAppInProcess({ terminals: { shards: 1 } });
  api = createApi(running.app.url);
});
afterAll(() => running.stop());

it('shards that die while a terminal prints neither lose nor double text of the search index', async () => {
  const { id } = (await api.post<Terminal>('/api/terminals', { command: ['sh', '-c', PROGRAM] })).body;
  const shows = (text: string) =>
    eventually(`the terminal shows ${text}`, async () => {
      const { body } = await api.get<{ raw?: string }>(`/api/terminals/${id}/output?lines=5`);
      return body.raw?.includes(text) ?? false;
    });
  await shows('ready');
  for (let round = 0; round < ROUNDS; round++) {
    await api.post(`/api/terminals/${id}/input`, { data: `${round}\r` });
    // In even rounds, the shard dies once the index has the text of the round; in odd rounds, before.
    if (round % 2 === 0) await found(api, `numbat ${round}.${LINES}.`);
    else await shows(`numbat ${round}.${LINES}.`);
    await (await running.app.terminals.shards).kill(0);
  }
  await found(api, `numbat ${ROUNDS - 1}.${LINES}.`);
  const documents = await search(api, { query: 'numbat', limit: 1_000 });
  const lines = documents.flatMap(({ document }) => document.content.split('\n')).sort();
  const printed = Array.from({ length: ROUNDS * LINES }, (_, index) => {
    return `numbat ${Math.floor(index / LINES)}.${(index % LINES) + 1}.`;
  });
  expect(lines.filter((line) => line.startsWith('numbat'))).toEqual(printed.sort());
  expect(running.fatal).toEqual([]);
});
