import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { ATTENDED_MS, AUTOGROUP_RETRY_MS, MAX_ATTENDED } from '#dist/contract/limits.js';
import { decidedByOf, Niceness, type NicenessDeps } from '#dist/workers/pty-host/processes/niceness.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function fault(code: string): Error {
  return Object.assign(new Error(code), { code });
}

/** Programs whose changes are recorded; `refusals` is the number of temporary refusals by the kernel. */
function rig(options: Partial<NicenessDeps> & { refusals?: number } = {}) {
  let { refusals = 0 } = options;
  const changed: [string, number, number][] = [];
  const slices: [number, string][] = [];
  const logged: string[] = [];
  const niceness = new Niceness({
    decidedBy: 'session',
    leads: () => true,
    setSession: (leader, nice) => {
      refusals -= 1;
      if (refusals >= 0) throw fault('EAGAIN');
      changed.push(['session', leader, nice]);
    },
    setProcess: (pid, nice) => void changed.push(['process', pid, nice]),
    setSlice: (pid, slice) => void slices.push([pid, slice]),
    foreground: (leader) => leader,
    descendants: () => [],
    log: (message) => void logged.push(message),
    ...options,
  });
  const start = (leader: number, nice = 10) => niceness.set({ leader, startedAt: '1' }, leader, nice);
  return { niceness, start, changed, slices, logged };
}

describe('if sessions decide', () => {
  test('the session of a program is changed at once', () => {
    const { start, changed } = rig();
    start(7);
    expect(changed).toEqual([['session', 7, 10]]);
  });

  test('a change that the kernel refuses for now is tried again, the newest first', () => {
    const { start, changed, logged } = rig({ refusals: 2 });
    for (const leader of [1, 2, 3]) start(leader);
    expect(changed).toEqual([]);
    vi.advanceTimersByTime(AUTOGROUP_RETRY_MS);
    expect(changed).toEqual([]);
    start(4);
    vi.advanceTimersByTime(AUTOGROUP_RETRY_MS);
    expect(changed.map(([, leader]) => leader)).toEqual([4, 3, 2, 1]);
    expect(logged).toEqual([]);
    vi.advanceTimersByTime(ATTENDED_MS);
    expect(vi.getTimerCount()).toBe(0);
  });

  test('a number that belongs to another process by now is left alone', () => {
    const gone = new Set<number>();
    const { start, changed } = rig({ refusals: 1, leads: ({ leader }) => !gone.has(leader) });
    start(1);
    gone.add(1);
    vi.advanceTimersByTime(AUTOGROUP_RETRY_MS);
    expect(changed).toEqual([]);
  });

  test('a session with input has half its value, and a short time slice, until no input comes', () => {
    const { niceness, changed, slices } = rig();
    const session = { leader: 7, startedAt: '1' };
    niceness.attend(session);
    expect(changed).toEqual([]);
    niceness.set(session, 7, 11);
    niceness.attend(session);
    expect(changed.splice(0)).toEqual([
      ['session', 7, 11],
      ['session', 7, 5],
    ]);
    for (let key = 0; key < 5; key++) {
      vi.advanceTimersByTime(ATTENDED_MS - 1);
      niceness.attend(session);
    }
    expect(changed).toEqual([]);
    vi.advanceTimersByTime(2 * ATTENDED_MS);
    expect(changed).toEqual([['session', 7, 11]]);
    expect(slices).toEqual([
      [7, 'long'],
      [7, 'shortest'],
      [7, 'long'],
    ]);
    expect(vi.getTimerCount()).toBe(0);
  });

  test('a few sessions have half at a time, and none while the kernel refuses changes', () => {
    const sessions = Array.from({ length: MAX_ATTENDED + 1 }, (_, leader) => ({ leader, startedAt: '1' }));
    const { niceness, changed } = rig();
    for (const session of sessions) niceness.set(session, session.leader, 10);
    for (const session of sessions) niceness.attend(session);
    expect(changed.filter(([, , nice]) => nice === 5)).toHaveLength(MAX_ATTENDED);
    vi.advanceTimersByTime(ATTENDED_MS);
    expect(changed.slice(-MAX_ATTENDED).every(([, , nice]) => nice === 10)).toBe(true);

    const short = rig({ refusals: 2 });
    short.niceness.set(sessions[0]!, 0, 10);
    short.niceness.attend(sessions[0]!);
    vi.advanceTimersByTime(10 * AUTOGROUP_RETRY_MS);
    expect(short.changed).toEqual([['session', 0, 10]]);
    expect(vi.getTimerCount()).toBe(0);
  });

  test('the program in the foreground gets a short slice, too, and what was started meanwhile a long one', () => {
    const { niceness, slices } = rig({ foreground: () => 8, descendants: () => [8, 9] });
    const session = { leader: 7, startedAt: '1' };
    niceness.set(session, 7, 10);
    expect(slices.splice(0)).toEqual([
      [7, 'long'],
      [8, 'long'],
      [9, 'long'],
    ]);
    niceness.attend(session);
    expect(slices.splice(0)).toEqual([
      [7, 'shortest'],
      [8, 'shortest'],
    ]);
    vi.advanceTimersByTime(ATTENDED_MS);
    expect(slices).toEqual([
      [7, 'long'],
      [8, 'long'],
      [9, 'long'],
    ]);
  });

  test('a program that was being started while the slices were set gets a long one a second later', () => {
    const children = [8];
    const { niceness, slices } = rig({ descendants: () => children });
    niceness.set({ leader: 7, startedAt: '1' }, 8, 10);
    children.push(9);
    slices.splice(0);
    vi.advanceTimersByTime(ATTENDED_MS);
    expect(slices).toEqual([
      [7, 'long'],
      [8, 'long'],
      [9, 'long'],
    ]);
    expect(vi.getTimerCount()).toBe(0);
  });

  test('slices of a session that has ended, or is typed into, are left alone then', () => {
    const gone = new Set<number>();
    const { niceness, slices, start } = rig({ leads: ({ leader }) => !gone.has(leader) });
    start(6);
    gone.add(6);
    const session = { leader: 7, startedAt: '1' };
    niceness.set(session, 7, 10);
    vi.advanceTimersByTime(ATTENDED_MS / 2);
    niceness.attend(session);
    slices.splice(0);
    vi.advanceTimersByTime(ATTENDED_MS / 2);
    expect(slices).toEqual([]);
    vi.advanceTimersByTime(ATTENDED_MS / 2);
    expect(slices).toEqual([[7, 'long']]);
  });

  test('0 changes nothing', () => {
    const { start, changed, slices } = rig();
    start(7, 0);
    expect([changed, slices]).toEqual([[], []]);
  });

  test.each(['ESRCH', 'ENOENT', 'EACCES', 'EPERM'])('%s is not logged, and the others go on', (code) => {
    const { start, logged } = rig({
      setSession: () => {
        throw fault(code);
      },
    });
    start(1);
    start(2);
    vi.advanceTimersByTime(ATTENDED_MS);
    expect([logged, vi.getTimerCount()]).toEqual([[], 0]);
  });

  test('another fault is logged', () => {
    const { start, logged } = rig({
      setSession: () => {
        throw fault('EIO');
      },
    });
    start(1);
    expect(logged).toEqual([expect.stringContaining('EIO')]);
  });
});

test('if processes decide, a program that is typed into keeps its value and gets a short slice for a moment', () => {
  const { niceness, changed, slices } = rig({ decidedBy: 'process' });
  const session = { leader: 7, startedAt: '1' };
  niceness.set(session, 7, 10);
  niceness.attend(session);
  vi.advanceTimersByTime(ATTENDED_MS);
  expect(changed).toEqual([['process', 7, 10]]);
  expect(slices.map(([, slice]) => slice)).toEqual(['long', 'shortest', 'long']);
  expect(vi.getTimerCount()).toBe(0);
});

test('if processes decide, the leader and the program are changed', () => {
  const { niceness, changed } = rig({ decidedBy: 'process' });
  niceness.set({ leader: 7, startedAt: '1' }, 8, 5);
  niceness.set({ leader: 9, startedAt: '1' }, 9, 5);
  expect(changed).toEqual([
    ['process', 7, 5],
    ['process', 8, 5],
    ['process', 9, 5],
  ]);
});

describe('deciding unit', () => {
  const decided = (cgroup: string, existing: string[] = [], autogroup = '1\n') =>
    decidedByOf(
      (path) => (path === '/proc/self/cgroup' ? cgroup : autogroup),
      (path) => existing.includes(path),
    );

  test.each([
    ['no control group with shares', '0::/user.slice/a.scope\n', [], 'session'],
    ['the root of all', '0::/\n', [], 'session'],
    [
      'version 2, its own',
      '0::/system.slice/a.service\n',
      ['/sys/fs/cgroup/system.slice/a.service/cpu.weight'],
      'process',
    ],
    [
      'version 2, one above',
      '0::/system.slice/a.service\n',
      ['/sys/fs/cgroup/system.slice/cpu.weight'],
      'process',
    ],
    ['a container', '0::/\n', ['/sys/fs/cgroup/cpu.weight'], 'process'],
    ['version 1, the root', '3:cpuset:/a\n2:cpu,cpuacct:/\n0::/\n', [], 'session'],
    ['version 1, its own', '2:cpu,cpuacct:/docker/a\n0::/\n', [], 'process'],
  ] as const)('%s', (_name, cgroup, existing, expected) => {
    expect(decided(cgroup, [...existing])).toBe(expected);
  });

  test('the kernel does not group by sessions', () => {
    expect(decided('0::/\n', [], '0\n')).toBe('process');
    expect(decided('0::/\n', [], '')).toBe('process');
  });
});
