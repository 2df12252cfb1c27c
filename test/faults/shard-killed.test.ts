import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { App } from '#dist/app.js';
import { CALL_DEADLINE_MS } from '#dist/contract/limits.js';
import { type AppInProcess, startAppInProcess } from '../support/app.js';
import { type Api, createApi, watch } from '../support/http.js';

let running: AppInProcess;
let app: App;
let api: Api;

beforeAll(async () => {
  running = await startAppInProcess({ terminals: { shards: 2 } });
  app = running.app;
  api = createApi(app.url);
});

afterAll(() => running.stop());

describe('a shard that dies', () => {
  it('is replaced, and all its terminals answer and go on', async () => {
    const ids = await Promise.all(
      Array.from({ length: 30 }, async (_, index) => {
        const command = ['sh', '-c', `seq 1 ${index * 300}; echo ready ${index}; exec cat`];
        return (await api.post<{ id: string }>('/api/terminals', { command })).body.id;
      }),
    );
    const watcher = await watch(app.url, `terminals=${ids[0]},${ids[1]}`);
    const lastLine = async (id: string) =>
      (await api.get<{ raw: string }>(`/api/terminals/${id}/output?lines=1`)).body.raw;
    const screens = async () =>
      Promise.all(ids.map(async (id) => (await api.get(`/api/terminals/${id}/snapshot`)).body));
    for (const [index, id] of ids.entries()) {
      // The programs print at their own pace; the shards are killed once all have printed.
      while ((await lastLine(id)) !== `ready ${index}`) await new Promise((resolve) => setImmediate(resolve));
    }
    const before = await screens();

    await (await app.terminals.shards).kill(0);
    const begin = performance.now();
    expect(await screens()).toEqual(before);
    // The only time limit that follows from the design: no client waits for a call's timeout.
    expect(performance.now() - begin).toBeLessThan(CALL_DEADLINE_MS);

    // A watching client is brought up to date, and sees later output.
    for (const [index, id] of ids.slice(0, 2).entries()) {
      await api.post(`/api/terminals/${id}/input`, { data: 'still here\r' });
      const seen = await watcher.untilOutput(id, 'still here');
      const rehomed = watcher.frames.some(
        ({ event }) => event?.terminalId === id && String(event.data.content).startsWith('\x1bc'),
      );
      if (rehomed) expect(seen).toContain(`ready ${index}`);
    }
    await watcher.close();
    expect(running.fatal).toEqual([]);
  });

  it('answers or refuses each open call, and the next call works', async () => {
    const { body } = await api.post<{ id: string }>('/api/terminals', { command: ['cat'] });
    const calls = Array.from({ length: 50 }, () => api.get(`/api/terminals/${body.id}/snapshot`));
    const shards = await app.terminals.shards;
    await Promise.all([shards.kill(0), shards.kill(1)]);
    for (const { status } of await Promise.all(calls)) expect([200, 503]).toContain(status);
    expect((await api.get(`/api/terminals/${body.id}/snapshot`)).status).toBe(200);
  });

  it('is not missed by terminals that are closed by then, as all are while the service stops', async () => {
    const stopped = await startAppInProcess({ terminals: { shards: 2 } });
    const { terminals, url } = stopped.app;
    const other = createApi(url);
    for (let count = 0; count < 4; count++) await other.post('/api/terminals', { command: ['cat'] });
    const shards = await terminals.shards;
    const killed = new Promise<void>((resolve) => {
      terminals.subscribe(({ type }) => {
        if (type === 'removed') resolve(Promise.all([shards.kill(0), shards.kill(1)]).then(() => undefined));
      });
    });
    await stopped.stop();
    await killed;
    expect(stopped.fatal).toEqual([]);
  });
});
