import { execFileSync } from 'node:child_process';
import { chmodSync, readdirSync, readlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { eventually, openFiles, processesOfSession, processInfo } from '../support/processes.js';
import { isAlive, Rig } from './pty-host-rig.js';

/** Longer than any file name may be. */
const LONG = 'x'.repeat(300);

/** Has a process fail to remove sockets, as in a folder that has become read-only. */
const PINNED_SOCKETS = `
  const fs = require('node:fs');
  const { rmSync } = fs;
  fs.rmSync = (path, options) => {
    if (String(path).endsWith('.sock')) throw Object.assign(new Error('EACCES'), { code: 'EACCES' });
    return rmSync(path, options);
  };
  require('node:module').syncBuiltinESMExports();
`;

let rig: Rig;
beforeEach(async () => {
  rig = await Rig.start();
});
afterEach(() => rig.end());

function living(session: number): number {
  return processesOfSession(session).filter(({ state }) => state !== 'Z').length;
}

/** Returns the program's session: on a PTY of the host the program's own, in tmux that of its starter. */
function sessionOf(pid: number): number {
  return processInfo(pid)!.session;
}

/** A shell with children that ignore SIGHUP, are stopped, and run in groups of their own. */
const TREE = [
  'set -m',
  'sh -c "trap : HUP TERM; while :; do sleep 1; done" &',
  'sleep 100 & kill -STOP $!',
  'sh -c "trap \\"\\" HUP; sleep 100" &',
  'sh -c "sleep 100 & sleep 100" &',
  'printf ready; trap "" HUP; sleep 100',
].join('\n');

describe('kill', () => {
  test('ends the whole tree, whatever its processes ignore', async () => {
    const { handle, pid, sink } = await rig.run(TREE);
    await sink.until('ready', () => sink.text.includes('ready'));
    const session = sessionOf(pid);
    await eventually('the tree stands', () => living(session) >= 8);
    await rig.host.kill(handle);
    expect(await rig.host.list()).toEqual([]);
    await eventually('nothing is left', () => living(session) === 0);
  });

  test('of newly started terminals leaves nothing', async () => {
    const pids: number[] = [];
    for (let count = 0; count < 10; count += 1) {
      const { handle, pid } = await rig.spawn('/bin/sleep', ['100']);
      pids.push(pid);
      void rig.host.kill(handle);
    }
    await eventually('nothing is left', () => !pids.some(isAlive));
    expect(isAlive(rig.host.hostPid)).toBe(true);
  });

  test('and spawn, 50 times, leave no descriptor behind', async () => {
    const warm = await rig.run('printf warm');
    await warm.sink.end();
    rig.host.forget(warm.handle);
    await rig.host.list();
    const before = openFiles(rig.host.hostPid);
    for (let count = 0; count < 50; count += 1) {
      const { handle } = await rig.run('printf x; exec sleep 100');
      await rig.host.kill(handle);
    }
    await eventually('as many as before', () => openFiles(rig.host.hostPid) <= before);
  });

  test('of an unknown terminal is no error', async () => {
    await rig.host.kill(4711);
  });

  test('shutdown ends all programs, then the host', async () => {
    const { pid } = await rig.run(TREE);
    const second = await rig.spawn('/bin/sleep', ['100']);
    const sessions = [pid, second.pid].map(sessionOf);
    await eventually('the tree stands', () => living(sessions[0]!) >= 8);
    await rig.host.shutdown();
    expect(sessions.map(living)).toEqual([0, 0]);
    await eventually('the host has gone', () => !isAlive(rig.host.hostPid));
    expect(readdirSync(join(rig.folder, 'run'))).toEqual([]);
  });

  test('shutdown ends all programs and the host, also where its socket cannot be removed', async () => {
    const preload = join(rig.folder, 'preload.cjs');
    writeFileSync(preload, PINNED_SOCKETS);
    vi.stubEnv('NODE_OPTIONS', `--require ${preload}`);
    onTestFinished(() => void vi.unstubAllEnvs());
    const pinned = await Rig.start();
    onTestFinished(() => pinned.end());
    const { pid } = await pinned.spawn('/bin/sleep', ['100']);
    const session = sessionOf(pid);
    await pinned.host.shutdown();
    expect(living(session)).toBe(0);
    await eventually('the host has gone', () => !isAlive(pinned.host.hostPid));
  });
});

describe('spawn', () => {
  test.each([
    ['a cwd that is missing', { cwd: '/nowhere' }, 'cwd is not a folder: /nowhere'],
    ['a cwd that is a file', { cwd: '/etc/passwd' }, 'cwd is not a folder: /etc/passwd'],
    ['a cwd below a file', { cwd: '/etc/passwd/x' }, 'cwd is not a folder: /etc/passwd/x'],
    ['a cwd too long for a name', { cwd: `/${LONG}` }, `cwd is not a folder: /${LONG}`],
    ['an unknown program', { file: 'no-such-shell' }, 'shell not found: no-such-shell'],
    ['a missing path', { file: '/no/such' }, 'shell not found: /no/such'],
    ['a folder for a program', { file: '/etc' }, 'shell not found: /etc'],
    [
      'a variable no program can be given',
      { env: { BIG: 'x'.repeat(200_000) } },
      'BIG is longer than the system accepts',
    ],
    ['a file that is no program', { file: '/etc/passwd' }, 'shell is not executable: /etc/passwd'],
  ])('refuses %s', async (_, change, message) => {
    const request = {
      id: 'x',
      file: 'sh',
      args: [],
      env: { PATH: '/bin' },
      cwd: '/',
      cols: 80,
      rows: 24,
      meta: '',
    };
    const refused = rig.host.spawn({ ...request, ...change, ...rig.place });
    await expect(refused).rejects.toMatchObject({ code: 'spawn-failed', message });
    expect(await rig.host.list()).toEqual([]);
  });

  test('finds programs on the PATH given, and relative to the cwd', async () => {
    writeFileSync(join(rig.folder, 'hello'), '#!/bin/sh\nprintf "hello $0 $PWD"\n');
    chmodSync(join(rig.folder, 'hello'), 0o755);
    const request = { args: [], cwd: rig.folder, cols: 80, rows: 24, meta: '', ...rig.place };
    for (const [id, file, path] of [
      ['a', './hello', '/bin'],
      ['b', 'hello', `/nowhere:${rig.folder}`],
    ] as const) {
      const { handle } = await rig.host.spawn({ ...request, id, file, env: { PATH: path } });
      await eventually(
        'exit',
        async () => (await rig.host.list()).find((t) => t.handle === handle)?.exit != null,
      );
      expect((await rig.host.list()).find((t) => t.handle === handle)!.exit).toMatchObject({ exitCode: 0 });
    }
  });

  test('gives the program its three descriptors, its environment and nothing else', async () => {
    const others = [await rig.run('exec sleep 100'), await rig.run('exec sleep 100')];
    const env = { PATH: '/usr/bin:/bin', ONE: '1', NONE: undefined } as unknown as Record<string, string>;
    const { pid } = await rig.host.spawn({
      id: 'x',
      file: 'sh',
      args: ['-c', 'env > env.txt; exec sleep 100'],
      env,
      cwd: rig.folder,
      cols: 80,
      rows: 24,
      meta: '',
      ...rig.place,
    });
    await eventually('sleep runs', () => {
      const args = execFileSync('ps', ['-o', 'args=', '-p', String(pid)], { encoding: 'utf8' });
      return args.startsWith('sleep');
    });
    for (const child of [pid, others[0]!.pid]) {
      const fds = readdirSync(`/proc/${child}/fd`);
      expect(fds.toSorted()).toEqual(['0', '1', '2']);
      for (const fd of fds) expect(readlinkSync(`/proc/${child}/fd/${fd}`)).toMatch(/^\/dev\/pts\//);
    }
    const seen = execFileSync('cat', [join(rig.folder, 'env.txt')], { encoding: 'utf8' });
    const names = seen.split('\n').map((line) => line.split('=')[0]);
    expect(
      names.filter((name) => name && !['PWD', '_', 'SHLVL', 'OLDPWD'].includes(name)).toSorted(),
    ).toEqual(['ONE', 'PATH']);
  });
});
