import { constants } from 'node:os';
import { describe, expect, test } from 'vitest';
import { errnoOf, SystemRefusal } from '#dist/workers/pty-host/pty/system-refusal.js';

const { EMFILE, ENFILE, ENOSPC, EAGAIN, ENOMEM, EACCES } = constants.errno;

describe('why the system starts no program', () => {
  test.each([
    [EMFILE, 'pty', /cannot open more files.*ulimit -n/],
    [ENFILE, 'pty', /fs\.file-max/],
    [ENOSPC, 'pty', /no PTY left.*raise kernel\.pty\.max/],
    [EAGAIN, 'process', /no more processes.*ulimit -u; pids\.max of the cgroup.*kernel\.pid_max/],
    [ENOMEM, 'process', /no memory/],
    [EACCES, 'process', /^permission denied \(EACCES\)$/],
    [ENOSPC, 'process', /^no space left on device \(ENOSPC\)$/],
    [9_999, 'process', /^refused \(error 9999\)$/],
  ] as const)('%i of a %s is reported in words, and a limit by its name', (errno, wanted, message) => {
    expect(new SystemRefusal(errno, wanted).message).toMatch(message);
    expect(new SystemRefusal(-errno, wanted).message).toMatch(message);
  });

  test('is reported by name, too', () => {
    expect(SystemRefusal.ofName('EMFILE', 'pty')).toMatchObject({ code: 'EMFILE' });
  });

  test('another fault is rethrown', () => {
    expect(() => errnoOf(new TypeError('a bug'))).toThrow('a bug');
    expect(errnoOf(Object.assign(new Error('full'), { errno: -EMFILE }))).toBe(-EMFILE);
  });
});
