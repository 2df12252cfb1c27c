import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { GroupRoot } from '#dist/workers/pty-host/limits/group-root.js';
import { Groups } from '#dist/workers/pty-host/limits/groups.js';
import { Limiter } from '#dist/workers/pty-host/limits/limiter.js';
import { ownGroup } from '#dist/workers/pty-host/limits/own-group.js';
import { niceFor, TerminalGroup, weightOf } from '#dist/workers/pty-host/limits/terminal-group.js';
import { eventually } from '../support/processes.js';

const mount = (root: string, place: string) =>
  `31 23 0:28 / /sys/fs/cgroup rw - tmpfs tmpfs rw\n41 31 0:38 ${root} ${place} rw,nosuid shared:4 - cgroup2 cgroup2 rw`;

describe('the group of this process', () => {
  test.each([
    ['0::/user.slice/a.service\n', '/', '/sys/fs/cgroup', '/sys/fs/cgroup/user.slice/a.service'],
    ['4:memory:/x\n0::/\n', '/', '/sys/fs/cgroup/unified', '/sys/fs/cgroup/unified'],
    // A container sees only a part of the tree.
    ['0::/docker/abc/sub\n', '/docker/abc', '/sys/fs/cgroup', '/sys/fs/cgroup/sub'],
    ['0::/a\n', '/', '/mnt/with\\040blank', '/mnt/with blank/a'],
  ])('%j below a mount of %j', (cgroup, root, place, path) => {
    expect(ownGroup(cgroup, mount(root, place))).toEqual({ path });
  });

  test.each([
    ['4:memory:/x\n', mount('/', '/sys/fs/cgroup')],
    ['0::/a\n', ''],
    // Another part of the tree is mounted.
    ['0::/docker/abcdef\n', mount('/docker/abc', '/sys/fs/cgroup')],
    ['0::/../elsewhere\n', mount('/docker/abc', '/sys/fs/cgroup')],
    ['', ''],
  ])('is unknown for %j', (cgroup, mountinfo) => {
    expect(ownGroup(cgroup, mountinfo)).toHaveProperty('missing');
  });
});

function folder(files: Record<string, string>): string {
  const path = mkdtempSync(join(tmpdir(), 'groups-'));
  onTestFinished(() => rmSync(path, { recursive: true }));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(path, name), text);
  return path;
}

/** Returns the root that is found when `path` is this process' own group. */
function found(path: string) {
  const readSelf = (name: string) => (name === 'cgroup' ? '0::/\n' : mount('/', path));
  const root = GroupRoot.find({ tag: 'x', readSelf });
  if ('missing' in root) throw new Error(root.missing);
  return root;
}

describe('the place of groups', () => {
  test('needs one of the controllers', () => {
    const path = folder({ 'cgroup.controllers': 'hugetlb io\n' });
    expect(found(path).setUp()).toEqual({ missing: expect.stringContaining('none of the controllers') });
    expect(found(join(path, 'gone')).setUp()).toHaveProperty('missing');
  });

  test('must have no processes but those of this one', () => {
    const path = folder({ 'cgroup.controllers': 'memory\n', 'cgroup.procs': `${process.pid}\n1\n` });
    expect(found(path).setUp()).toEqual({ missing: expect.stringContaining('other processes') });
    expect(existsSync(join(path, 'auto-terminal-host'))).toBe(false);
  });

  test('is left by this process and its programs, which hands the controllers on', () => {
    const child = spawn('sleep', ['1000']);
    onTestFinished(() => void child.kill());
    const procs = `${process.pid}\n${child.pid}\n`;
    const path = folder({ 'cgroup.controllers': 'memory pids\n', 'cgroup.procs': procs });
    // Without a kernel, no controller is handed on.
    expect(found(path).setUp()).toEqual({ missing: expect.stringContaining('hands no controller on') });
    expect(existsSync(join(path, 'auto-terminal-host/cgroup.procs'))).toBe(true);
    // A renewed host is in that group already.
    expect(found(join(path, 'auto-terminal-host')).folder).toBe(path);
  });

  test('is left at once by a process that is alone in it, and by no other', () => {
    const alone = folder({ 'cgroup.controllers': 'memory\n', 'cgroup.procs': `${process.pid}\n` });
    found(alone).settle();
    expect(existsSync(join(alone, 'auto-terminal-host/cgroup.procs'))).toBe(true);
    for (const files of [
      { 'cgroup.controllers': 'memory\n', 'cgroup.procs': `${process.pid}\n${process.ppid}\n` },
      { 'cgroup.controllers': 'io\n', 'cgroup.procs': `${process.pid}\n` },
      { 'cgroup.controllers': 'memory\n' },
    ] as Record<string, string>[]) {
      const path = folder(files);
      found(path).settle();
      expect(existsSync(join(path, 'auto-terminal-host'))).toBe(false);
    }
  });

  test('holds the controllers that it hands on already', () => {
    const path = folder({ 'cgroup.controllers': 'io pids\n', 'cgroup.subtree_control': 'pids\n' });
    const root = GroupRoot.find({ folder: path, tag: 'x' }) as GroupRoot;
    expect(root.setUp()).toEqual(new Set(['pids']));
  });

  test('knows its own groups from those of others', () => {
    const path = folder({});
    const [own, other] = ['a', 'b'].map((tag) => GroupRoot.find({ folder: path, tag }) as GroupRoot);
    const group = own!.make('term_1');
    expect([own!.all(), other!.all()]).toEqual([[group], []]);
    expect(own!.make('../../odd').startsWith(path)).toBe(true);
  });
});

describe('a limiter', () => {
  const none = { available: () => ({ missing: 'no groups' }), make: () => null as never, letGo: () => {} };

  test('leaves a terminal without limits alone', () => {
    expect(new Limiter(none).limit({ id: 'a', nice: 3 })).toBeNull();
    expect(new Limiter(none).limit({ id: 'a', limits: {} })).toBeNull();
  });

  test('says where the system has nothing that limits', () => {
    const limits = { memoryBytes: 1e9, pids: 5 };
    expect(new Limiter(none, 'darwin').limit({ id: 'a', limits })).toEqual({
      held: {
        ...{ by: null, memoryBytes: null, pids: null, cpuWeight: null },
        ...{ notHeld: ['memoryBytes', 'pids'], why: 'no groups' },
      },
      ...{ group: null, entry: null, nice: 0 },
    });
  });

  test('prefers the means that holds memory, and takes a group that holds less for other limits', () => {
    const made = folder({});
    const pids = {
      ...none,
      available: () => new Set(['pids'] as const),
      make: () => new TerminalGroup(made),
    };
    const limiter = new Limiter(pids, 'linux');
    expect(limiter.limit({ id: 'a', limits: { memoryBytes: 1024 ** 3, pids: 5 } })).toMatchObject({
      held: { by: 'rlimit', memoryBytes: 1024 ** 3, pids: null, notHeld: ['pids'] },
      entry: { dataKiB: 1024 ** 2 },
    });
    expect(limiter.limit({ id: 'a', limits: { pids: 5, cpuWeight: 9 } })).toMatchObject({
      held: { by: 'cgroup', memoryBytes: null, pids: 5, cpuWeight: null, notHeld: ['cpuWeight'] },
      entry: { group: join(made, 'cgroup.procs') },
    });
  });

  test('falls back where a group cannot be made', () => {
    const failing = {
      ...none,
      available: () => new Set(['memory'] as const),
      make: () => {
        throw new Error('no room');
      },
    };
    const { held } = new Limiter(failing, 'linux').limit({ id: 'a', limits: { memoryBytes: 1e8 } })!;
    expect(held).toMatchObject({ by: 'rlimit', why: expect.stringContaining('no room') });
  });
});

test('weights and nice values stand for each other as far as nice values go', () => {
  expect([0, 3, 10, 19].map(weightOf)).toEqual([100, 51, 11, 1]);
  expect([10_000, 100, 50, 11, 1].map(niceFor)).toEqual([0, 0, 3, 10, 19]);
});

/** The tree of cgroup v2 of this machine, if groups can be made in it. */
const REAL = ['/sys/fs/cgroup/unified', '/sys/fs/cgroup'].find((place) => {
  if (!existsSync(join(place, 'cgroup.controllers'))) return false;
  const name = join(place, `auto-terminal-try-${process.pid}`);
  try {
    mkdirSync(name);
    rmdirSync(name);
    return true;
  } catch {
    return false;
  }
});

describe.skipIf(REAL === undefined)('on a real tree', () => {
  /** Starts a process that enters the group by the file that programs use; `before` is done by then. */
  async function entered(group: TerminalGroup, script: string, before = ':'): Promise<ChildProcess> {
    const enter = `${before}; echo $$ >${group.entry}; ${script}`;
    const child = spawn('/bin/sh', ['-c', enter], { stdio: 'ignore' });
    await eventually('it is in the group', () => group.isPopulated);
    return child;
  }

  const real = () => new Groups({ folder: REAL, tag: `test ${process.pid}`, log: () => {} });

  test('a group is emptied as a whole, whatever its processes ignore, and removed', async () => {
    const groups = real();
    const group = groups.make('real');
    // Its children ignore the hangup, too.
    const child = await entered(group, 'setsid sh -c "sleep 1000; :" & sleep 1000; :', 'trap "" HUP');
    expect(group.remove()).toBe(false);
    let isDone = false;
    groups.end(group, () => {
      isDone = true;
    });
    expect(groups.busy).toBe(true);
    await groups.idle();
    expect([isDone, group.exists]).toEqual([true, false]);
    await eventually('it was killed', () => child.signalCode === 'SIGKILL');
  });

  test('a group is removed once its last process has ended by itself', async () => {
    const groups = real();
    const group = groups.make('real');
    const child = await entered(group, 'exec sleep 1000');
    groups.letGo(group);
    expect([groups.busy, group.exists]).toEqual([false, true]);
    child.kill();
    await eventually('the group is gone', () => !group.exists);
  });

  test('groups that an earlier host left are removed once they are empty', async () => {
    const left = real().make('left');
    const used = real().make('used');
    const groups = real();
    const group = groups.adopt(used.path);
    groups.sweep();
    expect([left.exists, group.exists]).toEqual([false, true]);
    expect(group.remove()).toBe(true);
  });
});
