import { closeSync, constants } from 'node:fs';
import { TERMIOS_BYTES } from '../../termios.js';
import { Reaper } from '../processes/reaper.js';
import type { Libc } from './libc.js';
import { environmentOf, type OnExit, type PtySpec, type Started, type Starter } from './starter.js';
import { SystemRefusal } from './system-refusal.js';
import { openLastTerminalFile, openTerminalFile } from './terminal-file.js';

/** Sizes of the buffers for attributes and file actions, larger than either C library needs (336 and 80 bytes). */
const ATTR_BYTES = 1024;
const ACTIONS_BYTES = 1024;
/** Size of a set of 1,024 signals, as in both C libraries. */
const SIGNALS_BYTES = 128;
const PATH_BYTES = 128;

const SETSIGDEF = 0x04;
const SETSIGMASK = 0x08;
const SETSID = 0x80;

/**
 * Input flags beyond the kernel's defaults: BRKINT, IXANY, IMAXBEL, and IUTF8, without which Backspace deletes half a
 * character.
 */
const INPUT_FLAGS = 0x0002 | 0x0800 | 0x2000 | 0x4000;
/** Control flag beyond the kernel's defaults: HUPCL. */
const CONTROL_FLAGS = 0x0400;
const CONTROL_AT = 8;
const TCSANOW = 0;
const TIOCSWINSZ = 0x5414;

const ENOEXEC = 8;

/** Runs executable files that the kernel does not recognize as programs, as in execvp(3). */
const SCRIPT_SHELL = '/bin/sh';

const STDIN = 0;
const STDOUT = 1;
const STDERR = 2;

/**
 * Starts programs with posix_spawn, which shares this process' memory with the child until exec. A fork would copy the
 * page tables, and with node-pty's thread for each program also the tables of thousands of stacks. The child leads a
 * new session, and the PTY that it opens first becomes its controlling terminal.
 */
export class PosixSpawn implements Starter {
  readonly #libc: Libc;
  readonly #attr = Buffer.alloc(ATTR_BYTES);
  readonly #reaper: Reaper;

  constructor(libc: Libc) {
    this.#libc = libc;
    libc.posix_spawnattr_init(this.#attr);
    // Node ignores SIGPIPE; a program must start with every signal at its default, and with none blocked.
    libc.posix_spawnattr_setsigdefault(this.#attr, Buffer.alloc(SIGNALS_BYTES, 0xff));
    libc.posix_spawnattr_setsigmask(this.#attr, Buffer.alloc(SIGNALS_BYTES));
    libc.posix_spawnattr_setflags(this.#attr, SETSID | SETSIGDEF | SETSIGMASK);
    this.#reaper = new Reaper(libc);
  }

  start(spec: PtySpec, onExit: OnExit): Started {
    const opened: number[] = [];
    try {
      const master = openTerminalFile('/dev/ptmx');
      opened.push(master);
      const path = this.#unlock(master);
      const slave = openLastTerminalFile(path, this.#libc);
      opened.push(slave);
      this.#setUp(slave);
      this.resize(master, spec.cols, spec.rows);
      const pid = this.#spawn(spec, path);
      this.#reaper.expect(pid, onExit);
      return { pid, master, slave };
    } catch (error) {
      for (const fd of opened) closeSync(fd);
      throw error;
    }
  }

  adopt(pid: number, onExit: OnExit): void {
    this.#reaper.adopt(pid, onExit);
  }

  resize(master: number, cols: number, rows: number): void {
    this.#must(this.#libc.setWindowSize(master, TIOCSWINSZ, winsize(cols, rows)));
  }

  /** Makes the slave openable, and returns its path. */
  #unlock(master: number): string {
    const name = Buffer.alloc(PATH_BYTES);
    this.#must(this.#libc.grantpt(master));
    this.#must(this.#libc.unlockpt(master));
    const fault = this.#libc.ptsname_r(master, name, PATH_BYTES);
    if (fault) throw new SystemRefusal(fault, 'pty');
    return name.toString('utf8', 0, name.indexOf(0));
  }

  #setUp(slave: number): void {
    const termios = Buffer.alloc(TERMIOS_BYTES);
    this.#must(this.#libc.tcgetattr(slave, termios));
    termios.writeUInt32LE(termios.readUInt32LE() | INPUT_FLAGS);
    termios.writeUInt32LE(termios.readUInt32LE(CONTROL_AT) | CONTROL_FLAGS, CONTROL_AT);
    this.#must(this.#libc.tcsetattr(slave, TCSANOW, termios));
  }

  #spawn(spec: PtySpec, terminal: string): number {
    const libc = this.#libc;
    const actions = Buffer.alloc(ACTIONS_BYTES);
    const pid = Buffer.alloc(4);
    const env = [...environmentOf(spec), null];
    const run = (path: string, args: string[]) =>
      libc.posix_spawn(pid, path, actions, this.#attr, [...args, null], env);
    libc.posix_spawn_file_actions_init(actions);
    try {
      const faults = [
        libc.posix_spawn_file_actions_addchdir_np(actions, spec.cwd),
        libc.posix_spawn_file_actions_addopen(actions, STDIN, terminal, constants.O_RDWR, 0),
        libc.posix_spawn_file_actions_adddup2(actions, STDIN, STDOUT),
        libc.posix_spawn_file_actions_adddup2(actions, STDIN, STDERR),
      ];
      const prepared = faults.find((fault) => fault !== 0) ?? 0;
      const direct = prepared || run(spec.path, [spec.file, ...spec.args]);
      const fault = direct === ENOEXEC ? run(SCRIPT_SHELL, [SCRIPT_SHELL, spec.path, ...spec.args]) : direct;
      if (fault) throw new SystemRefusal(fault, 'process');
    } finally {
      libc.posix_spawn_file_actions_destroy(actions);
    }
    return pid.readInt32LE();
  }

  #must(answer: number): void {
    if (answer === -1) throw new SystemRefusal(this.#libc.errno(), 'pty');
  }
}

function winsize(cols: number, rows: number): Buffer {
  const size = Buffer.alloc(8);
  size.writeUInt16LE(rows, 0);
  size.writeUInt16LE(cols, 2);
  return size;
}
