import { afterEach, describe, expect, it } from 'vitest';
import { startAppInProcess } from '../support/app.js';
import { type Api, createApi } from '../support/http.js';
import { eventually, hostPidOf } from '../support/processes.js';
import { type Service, startService } from '../support/service.js';
import { spilledBytes, spillFilesOf } from '../support/spill-files.js';

const COUNT = 40;
const LINES = 1_000;
const BLOCK = 4096;

/** Prints distinct numbers, which packing hardly shortens; half of the terminals print {@link DRAWN} instead. */
const PLAIN = `awk 'BEGIN { srand(SEED); for (i = 1; i <= ${LINES}; i++) printf "%d %.12f %.12f\\n", i, rand(), rand() }'`;
/** Moves of the cursor have to be parsed, so the sleeping screen is stored as a drawn screen. */
const DRAWN = `printf '\\033[2J\\033[H'; ${PLAIN}; printf '\\033[3;3Hdrawn'`;

let stop: (() => Promise<void>) | undefined;
afterEach(() => stop?.());

/** Opens terminals that print; resolves with their screens and output by id. */
async function printed(api: Api): Promise<Map<string, unknown>> {
  const ids = await Promise.all(
    Array.from({ length: COUNT }, async (_, index) => {
      const script = (index % 2 === 0 ? PLAIN : DRAWN).replace('SEED', String(index));
      const command = ['sh', '-c', `${script}; echo ready; exec cat`];
      return (await api.post<{ id: string }>('/api/terminals', { command })).body.id;
    }),
  );
  for (const id of ids) {
    await eventually(`${id} has printed`, async () => {
      const { body } = await api.get<{ raw: string }>(`/api/terminals/${id}/output?lines=${LINES}`);
      return body.raw.includes('ready');
    });
  }
  return shown(api, ids);
}

async function shown(api: Api, ids: Iterable<string>): Promise<Map<string, unknown>> {
  const all = new Map<string, unknown>();
  for (const id of ids) {
    const { body: snapshot } = await api.get(`/api/terminals/${id}/snapshot`);
    const { body: output } = await api.get(`/api/terminals/${id}/output?lines=${LINES}`);
    all.set(id, { snapshot, output });
  }
  return all;
}

/** Returns whether all terminals have gone to disk, which takes at least two blocks each. */
const areSpilled = (pid: number) => () => spilledBytes(pid) >= COUNT * 2 * BLOCK;

async function closeAll(api: Api, ids: Iterable<string>): Promise<void> {
  await Promise.all([...ids].map((id) => api.delete(`/api/terminals/${id}`)));
}

describe('the memory of sleeping terminals', () => {
  it('is on disk, survives a kill of the service, and leaves nothing', async () => {
    let service: Service = await startService();
    stop = () => service.stop();
    let api = createApi(service.url);
    const host = hostPidOf(service.home);
    const before = await printed(api);
    await eventually('it is on disk', () => areSpilled(service.pid)() && areSpilled(host)());
    await service.kill('SIGKILL');
    service = await startService({ home: service.home });
    api = createApi(service.url);
    expect(hostPidOf(service.home)).toBe(host);
    expect(await shown(api, before.keys())).toEqual(before);
    await closeAll(api, before.keys());
    await eventually('every place is free', () => spilledBytes(service.pid) + spilledBytes(host) === 0);
  });

  it('costs a dead shard no descriptor, and its terminals nothing', async () => {
    const { app, stop: end } = await startAppInProcess({ terminals: { shards: 2 } });
    stop = end;
    const api = createApi(app.url);
    const before = await printed(api);
    const files = () => spillFilesOf(process.pid).length;
    // One shard alone may put as much on the disk.
    await eventually('it is on disk', () => areSpilled(process.pid)() && files() === 2);
    const shards = await app.terminals.shards;
    for (const index of [0, 1, 0]) {
      await shards.kill(index);
      expect(await shown(api, before.keys())).toEqual(before);
    }
    await eventually('no dead shard has one', () => files() <= 2);
    await closeAll(api, before.keys());
    await eventually('every place is free', () => spilledBytes(process.pid) === 0);
  });
});
