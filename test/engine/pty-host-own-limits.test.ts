import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { FakeCgroup } from '../support/fake-cgroup.js';
import { niceOf } from '../support/nice-of.js';
import { eventually, processesRunning } from '../support/processes.js';
import { isAlive, Rig } from './pty-host-rig.js';

const MiB = 1024 * 1024;
/** A program that allocates far more than its limit, and stays. */
const HOG = [
  process.execPath,
  ['-e', 'globalThis.hog = Buffer.alloc(300e6, 1); console.log("full"); setInterval(() => {}, 1000)'],
] as const;
const LIMITS = { memoryBytes: 128 * MiB, pids: 50, cpuWeight: 40 };

let rig: Rig;
const linesOf = (text: string) => text.split('\r\n').filter((line) => line !== '');

describe('by a control group', () => {
  let tree: FakeCgroup;
  beforeEach(async () => {
    tree = new FakeCgroup();
    process.env.AUTO_TERMINAL_CGROUP_ROOT = tree.folder;
    rig = await Rig.start();
  });
  afterEach(async () => {
    delete process.env.AUTO_TERMINAL_CGROUP_ROOT;
    await rig.end();
    tree.remove();
  });

  describe.each([
    ['a PTY', false],
    ['tmux', true],
  ])('on %s', (_name, tmux) => {
    test('a program is in its group before it runs, with its own name, arguments and environment', async () => {
      const env = { 'A.B': 'dot', IFS: ':', SHLVL: '7', 'BASH_FUNC_x%%': '() { :; }' };
      const shown = 'tr "\\0" "\\n" </proc/$$/cmdline | head -n 2; tr "\\0" "\\n" </proc/$$/environ';
      const run = await rig.run(`${shown}; echo up; read line; exit 3`, { tmux, env, limits: LIMITS });
      expect(run.limits).toEqual({ by: 'cgroup', ...LIMITS });
      await run.sink.until('up', () => run.sink.text.includes('up'));
      await eventually('its group counts', () => tree.counts(1));
      await rig.host.type(run.handle, [{ data: '\r' }]);
      expect(await run.sink.end()).toMatchObject({ exitCode: 3, signal: null, oomKilled: false });
      const [file, option, ...environ] = linesOf(run.sink.text);
      expect([file, option]).toEqual(['/bin/sh', '-c']);
      const asked = rig.program('x', [], { env });
      const names = ['PATH', 'TERM', 'LC_ALL', 'A.B', 'IFS', 'SHLVL'];
      const given = Object.fromEntries(environ.map((line) => line.split(/=(.*)/s).slice(0, 2)));
      for (const name of names) expect([name, given[name]]).toEqual([name, asked.env[name]]);
      // bash writes an exported function in its own form.
      expect(given).toHaveProperty(['BASH_FUNC_x%%'], expect.stringMatching(/^\(\) \{/));
      expect(Object.keys(given).filter((name) => name.startsWith('AUTO_TERMINAL'))).toEqual([]);
    });

    test('the limits are those of the group, and the program is in it', async () => {
      const { id } = rig.program('x');
      const request = { ...rig.program('sleep', ['1000'], { tmux, limits: LIMITS }), id };
      const { pid, limits } = await rig.host.spawn(request);
      expect(limits).toEqual({ by: 'cgroup', ...LIMITS });
      const files = ['memory.max', 'memory.swap.max', 'memory.oom.group', 'pids.max', 'cpu.weight'];
      expect(files.map((file) => tree.read(id, file).trim())).toEqual([
        ...[String(LIMITS.memoryBytes), '0', '1', '50', '40'],
      ]);
      await eventually('it is in its group', () => tree.read(id, 'cgroup.procs').includes(`${pid}\n`));
      expect((await rig.host.list())[0]?.limits).toEqual(limits);
    });

    test('at the limit of memory only that terminal ends, and its end says so', async () => {
      const other = await rig.run('printf up; read line; exit 5', { tmux, limits: LIMITS });
      await eventually('its group counts', () => tree.counts(1));
      const script = `sleep 1000 & ${HOG[0]} ${HOG[1].map((word) => `'${word}'`).join(' ')}; echo not reached`;
      const run = await rig.run(script, { tmux, limits: { memoryBytes: 150 * MiB } });
      expect(await run.sink.end()).toMatchObject({ exitCode: null, signal: 'SIGKILL', oomKilled: true });
      expect(run.sink.text).not.toContain('not reached');
      await rig.host.type(other.handle, [{ data: '\r' }]);
      expect(await other.sink.end()).toMatchObject({ exitCode: 5, oomKilled: false });
      await eventually('the groups are gone', () => tree.terminals.length === 0);
    });

    test('a close ends processes that have left the session, too, and removes the group', async () => {
      const seconds = tmux ? '98761' : '98762';
      const script = `setsid sh -c 'trap "" HUP; sleep ${seconds}; :' & printf up; cat`;
      const run = await rig.run(script, { tmux, limits: LIMITS });
      await run.sink.until('up', () => run.sink.text === 'up');
      await eventually('its group has it', () =>
        processesRunning(`sleep ${seconds}`).some((pid) => tree.knows(pid)),
      );
      await rig.host.kill(run.handle);
      await eventually('the group is gone', () => tree.terminals.length === 0);
      expect(processesRunning(`sleep ${seconds}`)).toEqual([]);
    });
  });

  test('what a program leaves running goes on, and its group is removed after that', async () => {
    // The program prints its own number once it has left the session, whose end would end the program, too.
    const script = "setsid sh -c 'echo $$; exec sleep 1000' & read line";
    const run = await rig.run(script, { tmux: false, limits: LIMITS });
    await run.sink.until('the program', () => run.sink.text.includes('\n'));
    const left = Number.parseInt(run.sink.text, 10);
    await eventually('its group has the program', () => tree.knows(left));
    await rig.host.type(run.handle, [{ data: '\r' }]);
    expect(await run.sink.end()).toMatchObject({ exitCode: 0, oomKilled: false });
    expect([isAlive(left), tree.terminals.length]).toEqual([true, 1]);
    await rig.host.kill(run.handle);
    expect([isAlive(left), tree.terminals.length]).toEqual([true, 1]);
    process.kill(left);
    await eventually('the group is gone', () => tree.terminals.length === 0);
  });

  test('without limits a program is in no group', async () => {
    const run = await rig.run('echo $PPID', { tmux: false });
    expect(run.limits).toBeUndefined();
    expect(await run.sink.end()).not.toHaveProperty('oomKilled');
    expect(tree.groups).toEqual([]);
  });

  test('terminals that compete by weight keep the share of their nice value', async () => {
    const request = rig.program('sleep', ['1000'], { tmux: false, nice: 10, limits: { pids: 9 } });
    const { limits } = await rig.host.spawn(request);
    expect(limits).toEqual({ by: 'cgroup', memoryBytes: null, pids: 9, cpuWeight: null });
    expect(tree.read(request.id, 'cpu.weight').trim()).toBe('11');
  });
});

describe('by limits of processes', () => {
  beforeEach(async () => {
    rig = await Rig.start();
  });
  afterEach(() => rig.end());

  test.each([
    ['a PTY', false],
    ['tmux', true],
  ])('on %s a program that allocates past its limit fails, and others go on', async (_name, tmux) => {
    const [file, args] = HOG;
    const other = await rig.run('printf up; read line; exit 5', { tmux, limits: LIMITS });
    await other.sink.until('up', () => other.sink.text === 'up');
    const limits = { ...LIMITS, memoryBytes: 256 * MiB };
    const hog = await rig.spawn(file, [...args], { tmux, limits });
    expect(hog.limits).toEqual({
      ...{ by: 'rlimit', memoryBytes: 256 * MiB, pids: null, cpuWeight: 41, notHeld: ['pids'] },
      why: expect.any(String),
    });
    // The program runs, so its shell has set the limit.
    const set = readFileSync(`/proc/${other.pid}/limits`, 'utf8');
    expect(set).toMatch(/^Max data size\s+134217728\s+134217728/m);
    await eventually('it has ended', () => !isAlive(hog.pid));
    expect(niceOf(other.pid)).toBe(4);
    await rig.host.type(other.handle, [{ data: '\r' }]);
    expect(await other.sink.end()).toEqual({ exitCode: 5, signal: null, exitedAt: expect.any(Number) });
  });

  test('memory past the limit is refused to the program', async () => {
    const run = await rig.run('head -c 300000000 /dev/zero | tail -n 1 >/dev/null; echo "it goes on"', {
      tmux: false,
      limits: { memoryBytes: 64 * MiB },
    });
    await run.sink.end();
    expect(run.sink.text).toMatch(/memory exhausted.*it goes on/s);
  });

  test('pids alone cannot be held', async () => {
    const { limits } = await rig.run('exit', { tmux: false, limits: { pids: 10 } });
    expect(limits).toEqual({
      ...{ by: null, memoryBytes: null, pids: null, cpuWeight: null, notHeld: ['pids'] },
      why: expect.any(String),
    });
  });
});
