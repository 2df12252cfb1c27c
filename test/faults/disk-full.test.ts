import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RecordingStopped, RecordingSummary } from '#dist/contract/recording.js';
import type { Terminal } from '#dist/contract/terminal.js';
import { type Api, createApi } from '../support/http.js';
import { eventually } from '../support/processes.js';
import { startRecording, stopRecording } from '../support/recordings.js';
import { found, search } from '../support/search.js';
import { type Service, startService } from '../support/service.js';
import { NO_SMALL_DISK, type SmallDisk, smallDisk } from '../support/small-disk.js';

const DISK_MIB = 20;
const FLOODS = 4;
const RESTARTS = 10;
/** Command that prints about 12 MB, half of the room on the disk, and then echoes its input. */
const FLOOD = ['sh', '-c', "stty -echo; seq 1 1500000; echo FLOOD''ED; exec cat"];

describe.skipIf(NO_SMALL_DISK)('a home on a disk of 20 MB', () => {
  let disk: SmallDisk;
  let service: Service;
  let api: Api;
  const terminals: string[] = [];
  /** Names of the profiles whose creation was answered with success. */
  const kept: string[] = [];

  async function start(): Promise<void> {
    service = await startService({ home: disk.path });
    api = createApi(service.url);
  }

  async function addProfile(name: string): Promise<number> {
    const { status } = await api.post('/api/profiles', { name, path: '/bin/sh' });
    if (status < 300) kept.push(name);
    else expect(status).toBe(507);
    return status;
  }

  async function namesKept(): Promise<string[]> {
    const { body } = await api.get<{ profiles: { name: string; is_custom: boolean }[] }>('/api/profiles');
    return body.profiles.filter(({ is_custom }) => is_custom).map(({ name }) => name);
  }

  async function details(): Promise<object & { search?: string }> {
    return (await api.get<{ details: object }>('/health')).body.details;
  }

  async function hasPrinted(id: string, text: string): Promise<void> {
    const printed = async () =>
      (await api.get<{ raw: string }>(`/api/terminals/${id}/output?lines=20`)).body.raw.includes(text);
    await eventually(`${id} has printed ${text}`, printed);
  }

  beforeAll(async () => {
    disk = smallDisk(DISK_MIB)!;
    await start();
  });
  afterAll(async () => {
    await service?.kill('SIGKILL');
    disk?.remove();
  });

  it('serves on through floods that fill it, and marks recordings that were cut', async () => {
    expect(await addProfile('before')).toBe(201);
    const recordings: string[] = [];
    for (let index = 0; index < FLOODS; index++) {
      const { id } = (await api.post<Terminal>('/api/terminals', { command: FLOOD })).body;
      terminals.push(id);
      recordings.push(await startRecording(api, id));
    }
    for (const id of terminals) await hasPrinted(id, 'FLOODED');
    const list = async () =>
      (await api.get<{ recordings: RecordingSummary[] }>('/api/recordings')).body.recordings;
    await eventually('all have been cut', async () => (await list()).length === FLOODS);
    expect((await list()).map(({ truncated }) => truncated)).toEqual(recordings.map(() => true));
    for (const id of recordings) {
      const { status, body } = await api.post<RecordingStopped>(`/api/recordings/stop/${id}`);
      expect([status, body.truncated]).toEqual([200, true]);
      expect((await api.get<{ events: unknown[] }>(`/api/recordings/${id}`)).body.events).toHaveLength(
        body.eventCount,
      );
    }
    expect((await api.post('/api/recordings/start', { terminal_id: terminals[0] })).status).toBe(507);
    await eventually('nothing is fed any more', async () => (await details()).search === 'paused');
    expect(await details()).toEqual({ search: 'paused', recordings: 'full' });
    expect((await api.post('/api/search', { query: '1' })).body).toMatchObject({ paused: 'disk-full' });
    const metrics = (await api.get<string>('/metrics')).body;
    expect(metrics).toContain('auto_terminal_search_feeding 0');
    expect(metrics).toContain(`auto_terminal_recordings_cut_total ${FLOODS}`);
    expect(metrics).toMatch(/^auto_terminal_disk_free_bytes \d+$/m);
  });

  it(`starts ${RESTARTS} times on the remaining room, and has every terminal`, async () => {
    disk.fill();
    for (let restart = 0; restart < RESTARTS; restart++) {
      await service.kill('SIGKILL');
      await start();
      expect(await details()).toEqual({ search: 'paused', recordings: 'full' });
      const { body } = await api.get<{ terminals: Terminal[] }>('/api/terminals');
      expect(body.terminals.map(({ id }) => id).sort()).toEqual([...terminals].sort());
      for (const id of terminals) {
        expect((await api.post(`/api/terminals/${id}/input`, { data: `round ${restart}\r` })).status).toBe(
          200,
        );
        await hasPrinted(id, `round ${restart}`);
      }
      await addProfile(`restart ${restart}`);
      expect(await namesKept()).toEqual(expect.arrayContaining(kept));
      await search(api, 'round');
      const recording = await api.post('/api/recordings/start', { terminal_id: terminals[0] });
      expect(recording.status).toBe(507);
    }
  }, 400_000);

  it('goes on with everything once there is room again', async () => {
    disk.makeRoom();
    const { body } = await api.get<{ recordings: RecordingSummary[] }>('/api/recordings');
    for (const { id } of body.recordings)
      expect((await api.delete(`/api/recordings/${id}`)).status).toBe(204);
    await eventually('it is fed again', async () => (await details()).search === 'feeding');
    expect(await details()).toEqual({ search: 'feeding', recordings: 'open' });
    expect(await addProfile('afterwards')).toBe(201);
    const [id] = terminals;
    const recording = await startRecording(api, id!);
    await api.post(`/api/terminals/${id}/input`, { data: 'there is room\r' });
    await hasPrinted(id!, 'there is room');
    expect(JSON.stringify(await stopRecording(api, recording))).toContain('there is room');
    await found(api, 'there is room');
    expect(await service.kill('SIGTERM')).toBe(0);
    await start();
    expect((await namesKept()).sort()).toEqual([...kept].sort());
    expect(service.log()).not.toMatch(/damaged|set aside/);
  });
});
