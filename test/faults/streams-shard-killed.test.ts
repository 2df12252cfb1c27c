import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { ScreenRows } from '../../src/contract/screen-rows.js';
import { type AppInProcess, startAppInProcess } from '../support/app.js';
import { AttachClient } from '../support/attach-client.js';
import { type Api, createApi, watch } from '../support/http.js';
import { RowsClient } from '../support/rows-client.js';

let running: AppInProcess;
let api: Api;

beforeAll(async () => {
  running = await startAppInProcess({ terminals: { shards: 1 } });
  api = createApi(running.app.url);
});
afterAll(() => running.stop());

const killShard = async () => (await running.app.terminals.shards).kill(0);
const create = async (body: object) => (await api.post<{ id: string }>('/api/terminals', body)).body.id;

it('breaks streams of raw output, whose bytes nobody can make up for', async () => {
  const id = await create({ command: ['cat'], hold: true });
  const sent = request(`${running.app.url}/api/terminals/${id}/stream?from=start`).end();
  const [answer] = (await once(sent, 'response')) as [IncomingMessage];
  await killShard();
  await expect(answer.toArray()).rejects.toMatchObject({ code: 'ECONNRESET' });
  expect((await api.get(`/api/terminals/${id}`)).body).toMatchObject({ status: 'running' });
});

it('lets a client join that comes at that moment, and each client lead', async () => {
  const base = { cols: 90, rows: 30 };
  const ids = await Promise.all(
    Array.from({ length: 20 }, () => create({ command: ['sh', '-c', 'echo ready; exec cat'], ...base })),
  );
  const before = await watch(running.app.url);
  const client = await AttachClient.open(running.app.url);
  const killed = killShard();
  const joined = await watch(running.app.url, 'snapshot=1');
  const attached = await Promise.all(ids.map((id) => client.attach(id, { cols: 60, rows: 20 })));
  await killed;
  for (const each of attached) expect(each).toMatchObject({ isLeader: true, cols: 60, rows: 20 });
  for (const id of ids) {
    await joined.until(() => joined.output(id).startsWith('\x1bc'));
    await joined.untilOutput(id, 'ready');
  }
  await killShard();
  for (const id of ids) await client.command('terminal:detach', id);
  for (const id of ids) expect((await api.get(`/api/terminals/${id}/size`)).body).toEqual(base);
  await Promise.all([before.close(), joined.close(), client.watcher.close()]);
  expect(running.fatal).toEqual([]);
});

it('sends clients that watch screens all rows of the new shard', async () => {
  const id = await create({ command: ['sh', '-c', 'echo ready; exec cat'] });
  const watcher = await watch(running.app.url, 'screens=1&output=0');
  watcher.send({
    type: 'command',
    payload: { action: 'screens:watch', views: [{ terminalId: id, fps: 10 }] },
  });
  const frames = () =>
    watcher.frames.flatMap(({ event }) =>
      event?.type === 'screen.rows' ? [event.data as unknown as ScreenRows] : [],
    );
  const client = new RowsClient();
  const shows = async (text: string) => {
    await watcher.until(() => frames().some(({ lines }) => JSON.stringify(lines).includes(text)));
    for (const frame of frames().splice(taken)) client.take(frame);
    taken = frames().length;
  };
  let taken = 0;
  await shows('ready');
  await killShard();
  await api.post(`/api/terminals/${id}/input`, { data: 'after' });
  await shows('after');
  expect(client.texts.slice(0, 2)).toEqual(['ready', 'after']);
  expect(frames().filter(({ from }) => from === null).length).toBeGreaterThan(1);
  await watcher.close();
  expect(running.fatal).toEqual([]);
});
