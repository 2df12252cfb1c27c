import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { failed } from '../support/failed.js';
import { type Api, createApi, type Failure, type Watcher, watch } from '../support/http.js';
import { eventually } from '../support/processes.js';
import { type Service, startService } from '../support/service.js';

interface Terminal {
  id: string;
  status: string;
  backend?: string;
  attach?: string;
}

let folder: string;
let service: Service;
let api: Api;
let watcher: Watcher;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'at-backend-'));
  service = await startService({ env: { TMUX_TMPDIR: folder } });
  api = createApi(service.url);
  watcher = await watch(service.url);
});
afterAll(async () => {
  await watcher?.close();
  await service?.stop();
  await rm(folder, { recursive: true, force: true });
});

async function create(request: object, on = api): Promise<Terminal> {
  const { status, body } = await on.post<Terminal>('/api/terminals', { command: ['cat'], ...request });
  expect(status).toBe(200);
  return body;
}

const setBackend = async (backend: string | null, on = api) =>
  expect((await on.patch('/api/settings', { terminals: { backend } })).status).toBe(200);

describe('POST /api/terminals with a backend', () => {
  it('tmux: the Terminal object shows it, and how a person joins it', async () => {
    const terminal = await create({ backend: 'tmux' });
    const line = `env TMUX_TMPDIR='${folder}' tmux -L auto-terminal-[0-9a-f]{8} attach -t '=${terminal.id}'`;
    expect(terminal).toMatchObject({ backend: 'tmux', attach: expect.stringMatching(`^${line}$`) });
    expect((await api.get(`/api/terminals/${terminal.id}`)).body).toEqual(terminal);
    const { terminals } = (await api.get<{ terminals: Terminal[] }>('/api/terminals')).body;
    expect(terminals).toContainEqual(terminal);
  });

  it('pty: the Terminal object has no extra fields, whatever the setting', async () => {
    await setBackend('tmux');
    const terminal = await create({ backend: 'pty' });
    await setBackend(null);
    expect(terminal).not.toHaveProperty('backend');
    expect(terminal).not.toHaveProperty('attach');
  });

  it('neither: 400', async () => {
    const { status, body } = await api.post<Failure>('/api/terminals', { backend: 'screen' });
    expect([status, body.error]).toEqual([400, expect.stringContaining('backend')]);
  });

  it.each(['sh', 'bash', 'zsh', 'fish'])('in %s the line of `attach` joins the terminal', async (shell) => {
    const { id, attach = '' } = await create({ backend: 'tmux' });
    await api.post(`/api/terminals/${id}/input`, { data: 'from the API\r' });
    const person = await create({ backend: 'pty', command: [shell, '-c', attach] });
    await watcher.untilOutput(person.id, 'from the API');
    await api.post(`/api/terminals/${person.id}/input`, { data: 'from a person\r' });
    await watcher.untilOutput(id, 'from a person');
    // A person who leaves does not end the terminal.
    await api.delete(`/api/terminals/${person.id}`);
    await api.post(`/api/terminals/${id}/input`, { data: 'still there\r' });
    await watcher.untilOutput(id, 'still there');
  });

  it('once exited it still counts as a tmux terminal, and nobody can join it', async () => {
    const { id } = await create({ backend: 'tmux', command: ['echo', 'bye'] });
    const isExited = async () => (await api.get<Terminal>(`/api/terminals/${id}`)).body.status === 'exited';
    await eventually('it has exited', isExited);
    const { body } = await api.get(`/api/terminals/${id}`);
    expect(body).toMatchObject({ backend: 'tmux', exitCode: 0 });
    expect(body).not.toHaveProperty('attach');
    const capture = await api.get(`/api/terminals/${id}/capture`);
    expect(capture.body).toMatchObject({ content: expect.stringMatching(/^bye\n/), cursor_position: null });
    const size = { cols: 60, rows: 10 };
    expect((await api.post(`/api/terminals/${id}/resize-reflow`, size)).status).toBe(404);
  });
});

describe('the setting terminals.backend', () => {
  it('holds for terminals created afterwards, without a restart', async () => {
    await setBackend('tmux');
    const settings = await api.get('/api/settings');
    expect(settings.body).toMatchObject({ terminals: { backend: 'tmux' }, restartRequired: [] });
    expect(await create({})).toMatchObject({ backend: 'tmux' });
    await setBackend('pty');
    expect(await create({})).not.toHaveProperty('backend');
    await setBackend(null);
    expect((await api.get('/api/settings')).body).toMatchObject({ terminals: { backend: 'pty' } });
  });
});

it('kill -9 of the service: its terminals in tmux are there again, and are read there', async () => {
  const first = await startService({ env: { TMUX_TMPDIR: folder } });
  const command = ['sh', '-c', 'printf "\\033[31mred"; exec cat'];
  const terminal = await create({ backend: 'tmux', command, cols: 20, rows: 2 }, createApi(first.url));
  await first.kill('SIGKILL');
  const second = await startService({ home: first.home, env: { TMUX_TMPDIR: folder } });
  try {
    const again = createApi(second.url);
    expect((await again.get(`/api/terminals/${terminal.id}`)).body).toEqual(terminal);
    const reflow = `/api/terminals/${terminal.id}/resize-reflow`;
    const { body } = await again.post(reflow, { cols: 30, rows: 2 });
    expect(body).toMatchObject({ reflow_applied: true, content: { content: '\x1b[31mred\x1b[m\n' } });
  } finally {
    await second.stop();
  }
});

describe('on a machine without a tmux that can host them', () => {
  async function withPath(path: string, work: (on: Api, log: () => string) => Promise<void>) {
    const without = await startService({ env: { PATH: path, TMUX_TMPDIR: folder } });
    try {
      await work(createApi(without.url), without.log);
    } finally {
      await without.stop();
    }
  }

  async function oldTmux(): Promise<string> {
    const bin = join(folder, 'bin');
    await mkdir(bin, { recursive: true });
    await writeFile(join(bin, 'tmux'), '#!/bin/sh\necho tmux 2.9\n');
    await chmod(join(bin, 'tmux'), 0o755);
    return bin;
  }

  it.each([
    ['there is none', async () => '/nowhere', 'tmux was not found on PATH'],
    ['it is too old', oldTmux, 'tmux 2.9 is too old: 3.2 or later is required'],
  ])('%s: a request for it is a 501 that says so, and nothing is started', async (_what, path, error) => {
    await withPath(await path(), async (on) => {
      const request = { backend: 'tmux', command: ['/bin/cat'] };
      const { status, body } = await on.post<Failure>('/api/terminals', request);
      expect([status, body]).toEqual([501, failed(error)]);
      expect((await on.get('/api/terminals?status=all')).body).toEqual({ terminals: [] });
    });
  });

  it('the setting gives plain PTYs, and one warning', async () => {
    await withPath('/nowhere', async (on, log) => {
      await setBackend('tmux', on);
      for (const _ of [1, 2]) {
        expect(await create({ command: ['/bin/cat'] }, on)).not.toHaveProperty('backend');
      }
      expect(log().match(/tmux was not found on PATH/g)).toHaveLength(1);
    });
  });
});
