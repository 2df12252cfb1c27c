import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { failed } from '../support/failed.js';
import { type Api, createApi, type Watcher, watch } from '../support/http.js';
import { childrenOf, eventually, hostPidOf, processesOfSession, processInfo } from '../support/processes.js';
import { type Service, startService } from '../support/service.js';
import { TmuxByHand } from '../support/tmux-by-hand.js';

interface Terminal {
  id: string;
  pid: number;
  status: string;
  attach?: string;
  exitCode?: number | null;
  signal?: string | null;
}

const COUNT = 20;
const SCRIPT = 'echo up; while read -r line; do echo "got $line"; done';

let folder: string;
let service: Service;
let api: Api;
let watcher: Watcher;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'at-tmux-'));
  service = await startService({ env: { TMUX_TMPDIR: folder } });
  api = createApi(service.url);
  watcher = await watch(service.url);
});
afterEach(async () => {
  await watcher.close();
  await service.stop();
  await rm(folder, { recursive: true, force: true });
});

async function create(backend: string): Promise<Terminal> {
  const request = { backend, command: ['sh', '-c', SCRIPT] };
  const { body } = await api.post<Terminal>('/api/terminals', request);
  await watcher.untilOutput(body.id, 'up');
  return body;
}

const get = async (id: string) => (await api.get<Terminal>(`/api/terminals/${id}`)).body;

const outputOf = async (id: string) =>
  (await api.get<{ raw: string }>(`/api/terminals/${id}/output`)).body.raw;

async function answers(id: string): Promise<void> {
  await api.post(`/api/terminals/${id}/input`, { data: 'hello\r' });
  await watcher.untilOutput(id, 'got hello');
}

describe('a tmux server that is killed', () => {
  it('ends its terminals, and nothing else', async () => {
    const plain = await create('pty');
    const terminals = await Promise.all(Array.from({ length: COUNT }, () => create('tmux')));
    const sessions = terminals.map(({ pid }) => processInfo(pid)!.session);
    const socketName = /-L (\S+)/.exec(terminals[0]!.attach!)![1]!;
    process.kill(new TmuxByHand(folder, socketName).serverPid, 'SIGKILL');
    for (const { id } of terminals) {
      await eventually(`${id} has exited`, async () => (await get(id)).status === 'exited');
      expect(await get(id)).toMatchObject({ exitCode: null, signal: null });
      expect(await outputOf(id)).toBe('up');
      expect((await api.get(`/api/terminals/${id}/capture`)).status).toBe(200);
      const refused = await api.post(`/api/terminals/${id}/input`, { data: 'x' });
      expect(refused.body).toEqual(failed('Terminal not found'));
    }
    const { body } = await api.get<{ terminals: Terminal[] }>('/api/terminals');
    expect(body.terminals.map(({ id }) => id)).toEqual([plain.id]);
    await answers(plain.id);
    await answers((await create('tmux')).id);
    expect((await api.get('/health')).status).toBe(200);
    await eventually('nothing is left of them', () =>
      sessions.every((leader) => processesOfSession(leader).length === 0),
    );
    expect(childrenOf(hostPidOf(service.home)).filter(({ state }) => state === 'Z')).toEqual([]);
  });
});

describe('a service that is killed', () => {
  it('finds its terminals in tmux again, with all their output meanwhile', async () => {
    const { id, attach, pid } = await create('tmux');
    await service.kill('SIGKILL');
    service = await startService({ home: service.home, env: { TMUX_TMPDIR: folder } });
    api = createApi(service.url);
    await watcher.close();
    watcher = await watch(service.url);
    expect(await get(id)).toMatchObject({ pid, attach, backend: 'tmux', status: 'running' });
    await answers(id);
    expect(await outputOf(id)).toBe('up\nhello\ngot hello');
    const reflow = await api.post(`/api/terminals/${id}/resize-reflow`, { cols: 60, rows: 20 });
    expect(reflow.body).toMatchObject({ reflow_applied: true });
  });

  it('and is started with another folder for sockets says where the terminals are', async () => {
    const one = await create('tmux');
    await service.kill('SIGKILL');
    service = await startService({ home: service.home, env: { TMUX_TMPDIR: service.home } });
    api = createApi(service.url);
    await watcher.close();
    watcher = await watch(service.url);
    const { id, attach } = await create('tmux');
    expect(attach).toBe(one.attach!.replace(one.id, id));
    expect((await api.get('/api/system/tmux-status')).body).toMatchObject({ active_sessions: 2 });
  });
});
