import { closeSync, constants, openSync, readSync, writeSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { loadCLibrary } from '#dist/workers/c-library.js';
import { type Libc, loadLibc } from '#dist/workers/pty-host/pty/libc.js';
import { eventually } from '../support/processes.js';

const OFF = 0;
const ON = 1;
const EBADF = 9;
const FLAGS = constants.O_RDWR | constants.O_NOCTTY | constants.O_NONBLOCK;

describe.runIf(process.platform === 'linux')(
  'the C library, for a terminal that another process runs',
  () => {
    const libc = loadLibc(process.platform, process.arch) as Libc;
    let master: number;
    let slave: number;
    beforeEach(() => {
      master = openSync('/dev/ptmx', FLAGS);
      const name = Buffer.alloc(128);
      expect([libc.grantpt(master), libc.unlockpt(master), libc.ptsname_r(master, name, 128)]).toEqual([
        0, 0, 0,
      ]);
      slave = openSync(name.toString('utf8', 0, name.indexOf(0)), FLAGS);
    });
    afterEach(() => {
      closeSync(slave);
      closeSync(master);
    });

    /**
     * Waits until the slave has this many unread bytes: the kernel passes on a master's bytes in a thread of its own.
     */
    const unread = (bytes: number) =>
      eventually(`${bytes} bytes lie unread`, () => libc.unreadInput(slave) === bytes);

    test('reports how much of its input is unread, line by line', async () => {
      expect(libc.unreadInput(slave)).toBe(0);
      writeSync(master, 'ls\n');
      await unread(3);
      readSync(slave, Buffer.alloc(2));
      expect(libc.unreadInput(slave)).toBe(1);
      expect([libc.unreadInput(-1), libc.errno()]).toEqual([-1, EBADF]);
    });

    test('stops its output and resumes it, nothing lost', async () => {
      writeSync(slave, 'before ');
      expect(libc.tcflow(slave, OFF)).toBe(0);
      expect(() => writeSync(slave, 'late')).toThrow('EAGAIN');
      // Ctrl+Q, with which a user resumes output, does not resume this output.
      writeSync(master, '\x11\n');
      await unread(1);
      expect(() => writeSync(slave, 'late')).toThrow('EAGAIN');
      expect(libc.tcflow(slave, ON)).toBe(0);
      writeSync(slave, 'late');
      let printed = '';
      const chunk = Buffer.alloc(64);
      await eventually('all is printed', () => {
        if (libc.unreadInput(master) > 0) printed += chunk.toString('utf8', 0, readSync(master, chunk));
        return printed.includes('late');
      });
      expect(printed).toBe('before \r\nlate');
    });

    test('reports its available functions', () => {
      const library = loadCLibrary(process.platform, process.arch);
      if ('missing' in library) throw new Error(library.missing);
      expect([library.has('tcflow'), library.has('no_such_function')]).toEqual([true, false]);
      expect(() => library.func('int no_such_function(void)')).toThrow('no_such_function');
    });
  },
);
