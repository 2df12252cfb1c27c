import { execFileSync } from 'node:child_process';
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual as isEqual } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { failed } from '../support/failed.js';
import { type Api, createApi, type Failure } from '../support/http.js';
import { eventually, hostPidOf } from '../support/processes.js';
import { type Service, startService } from '../support/service.js';
import { TmuxByHand } from '../support/tmux-by-hand.js';

let folder: string;
let service: Service;
let api: Api;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'at-system-'));
  service = await startService({ env: { TMUX: '/gone/server,1,0', TMUX_PANE: '%1', TMUX_TMPDIR: folder } });
  api = createApi(service.url);
});
afterAll(async () => {
  await service?.stop();
  await rm(folder, { recursive: true, force: true });
});

test('GET /api/system/info', async () => {
  const before = Math.floor(Date.now() / 1_000);
  const { status, body } = await api.get<{ uptime: number }>('/api/system/info');
  expect([status, body]).toEqual([
    200,
    {
      platform: 'linux',
      arch: execFileSync('uname', ['-m'], { encoding: 'utf8' }).trim(),
      version: '0.1.0',
      hostname: hostname(),
      ptyHost: { pid: hostPidOf(service.home), version: '0.1.0' },
      uptime: expect.any(Number),
    },
  ]);
  expect(Number.isInteger(body.uptime)).toBe(true);
  expect(body.uptime).toBeGreaterThanOrEqual(before);
  expect(body.uptime).toBeLessThanOrEqual(Date.now() / 1_000);
});

describe('GET /api/system/tmux-status', () => {
  const status = async (of = api) => (await of.get('/api/system/tmux-status')).body;

  test('counts the terminals in its own server at each call, none without a server', async () => {
    const path = execFileSync('sh', ['-c', 'command -v tmux'], { encoding: 'utf8' }).trim();
    const found = { available: true, tmux_path: path, wsl_distro: null };
    expect(await status()).toEqual({ ...found, active_sessions: 0 });
    const create = async (backend: string) =>
      (await api.post<{ id: string; attach: string }>('/api/terminals', { command: ['cat'], backend })).body;
    const { id, attach } = await create('tmux');
    await create('pty');
    expect(await status()).toEqual({ ...found, active_sessions: 1 });
    // A user's own sessions, in this tmux server or another, do not count as terminals.
    const own = new TmuxByHand(folder, 'default');
    own.run('-f', '/dev/null', 'new-session', '-d', '-s', 'term_0123456789ab', 'cat');
    try {
      new TmuxByHand(folder, /-L (\S+)/.exec(attach)![1]!).run('new-session', '-d', '-s', 'mine', 'cat');
      expect(await status()).toEqual({ ...found, active_sessions: 1 });
    } finally {
      own.run('kill-server');
    }
    await api.delete(`/api/terminals/${id}`);
    await eventually('its session is gone', async () =>
      isEqual(await status(), { ...found, active_sessions: 0 }),
    );
  });

  test('reports a missing tmux', async () => {
    const without = await startService({ env: { PATH: '/nowhere' } });
    try {
      const unavailable = { available: false, tmux_path: '', wsl_distro: null, active_sessions: 0 };
      expect(await status(createApi(without.url))).toEqual(unavailable);
    } finally {
      await without.stop();
    }
  });

  test('a tmux that hangs is a 503, in bounded time', async () => {
    const bin = join(folder, 'bin');
    await mkdir(bin);
    const script = '#!/bin/sh\n[ "$1" = -V ] || exec sleep 1000\necho tmux 3.4\n';
    await writeFile(join(bin, 'tmux'), script);
    await chmod(join(bin, 'tmux'), 0o755);
    const hanging = await startService({ env: { PATH: `${bin}:${process.env.PATH}` } });
    try {
      const answer = await createApi(hanging.url).get<Failure>('/api/system/tmux-status');
      expect([answer.status, answer.body]).toEqual([503, failed('tmux does not answer')]);
    } finally {
      await hanging.stop();
    }
  });
});
