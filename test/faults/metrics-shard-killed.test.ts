import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Terminal } from '#dist/contract/terminal.js';
import { type AppInProcess, startAppInProcess } from '../support/app.js';
import { type Api, createApi } from '../support/http.js';
import { eventually } from '../support/processes.js';

let running: AppInProcess;
let api: Api;

beforeAll(async () => {
  running = await startAppInProcess({ terminals: { shards: 1 } });
  api = createApi(running.app.url);
});
afterAll(() => running?.stop());

async function value(key: string): Promise<number> {
  const { body } = await api.raw({ path: '/metrics' });
  const line = body.split('\n').find((each) => each.startsWith(`auto_terminal_${key} `));
  return Number(line?.split(' ')[1]);
}

test('counters go on when a shard dies, and the death is counted', async () => {
  const printed = 2_000_000;
  const command = ['sh', '-c', `stty -echo; head -c ${printed} /dev/zero; read x; printf end; exec cat`];
  const { body } = await api.post<Terminal>('/api/terminals', { command });
  await eventually('the flood is counted', async () => (await value('output_bytes_total')) === printed);
  await (await running.app.terminals.shards).kill(0);
  await eventually('another shard answers', async () => (await value('shard_up{shard="0"}')) === 1);
  expect(await value('shard_restarts_total{shard="0"}')).toBe(1);
  // Output that the new shard replays is not counted again.
  expect(await value('output_bytes_total')).toBe(printed);
  await api.post(`/api/terminals/${body.id}/input`, { data: '\r' });
  await eventually(
    'counting goes on',
    async () => (await value('output_bytes_total')) === printed + 'end'.length,
  );
});
