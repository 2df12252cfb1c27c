import { closeSync, constants, openSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, resolve } from 'node:path';
import { ExitDrain } from './exit-drain.js';
import { PtyReader, type ReadTurns } from './pty-reader.js';
import { PtyWriter } from './pty-writer.js';

/** Everything about one PTY that depends on the platform stands behind this interface. */
export interface Pty {
  readonly pid: number;
  /** Input bytes taken by the PTY, or dropped at its end. */
  readonly written: number;
  readonly pendingInput: number;
  /** Asks the events' allowance again: it has changed. */
  update(): void;
  write(bytes: Uint8Array): void;
  resize(cols: number, rows: number): void;
  /** Frees the descriptors; no event comes after it. The processes are another's matter (killer.ts). */
  close(): void;
}

interface PtyEvents {
  /** How many bytes of output may be read now; none or less pauses the PTY, and its program blocks. */
  allowance(): number;
  /** Output; the memory is lent until the call returns. */
  output(bytes: Buffer): void;
  /** `written` has grown. */
  written(): void;
  /** The program has ended and all its output has been delivered; the PTY is closed. Signal 0 is none. */
  exited(exitCode: number, signal: number): void;
}

interface PtySpec {
  file: string;
  args: string[];
  env: Record<string, string>;
  cwd: string;
  cols: number;
  rows: number;
}

/** Starts a program on a new PTY; throws when the kernel refuses. See spawn-check.ts for what to check before. */
export type OpenPty = (spec: PtySpec, events: PtyEvents) => Pty;

interface NativePty {
  fork(
    file: string,
    args: string[],
    env: string[],
    cwd: string,
    cols: number,
    rows: number,
    uid: number,
    gid: number,
    utf8: boolean,
    helperPath: string,
    onExit: (exitCode: number, signal: number) => void,
  ): { fd: number; pid: number; pty: string };
  resize(fd: number, cols: number, rows: number, xPixel: number, yPixel: number): void;
}

/** Node-pty keeps the user and group when told these. */
const SAME_USER = -1;

/** Most that is read in one turn of the event loop: a few milliseconds of a program in flood. */
const READ_TURN_BYTES = 64 * 1024;

/**
 * The PTYs of this platform. Only node-pty's native fork is used: its own reader and writer lose output at exit
 * and write on after it (docs/decisions.md).
 */
export function loadPty(): OpenPty {
  if (process.platform === 'win32') throw new Error('the pty host does not run on Windows yet');
  const require = createRequire(import.meta.url);
  const utils = require.resolve('node-pty/lib/utils');
  const { loadNativeModule } = require(utils) as {
    loadNativeModule(name: string): { dir: string; module: NativePty };
  };
  const { dir, module: native } = loadNativeModule('pty');
  const helper = resolve(dirname(utils), dir, 'spawn-helper');
  const turns: ReadTurns = { scratch: Buffer.allocUnsafeSlow(READ_TURN_BYTES), full: 0 };
  return (spec, events) => new UnixPty(native, helper, turns, spec, events);
}

class UnixPty implements Pty {
  readonly pid: number;
  readonly #native: NativePty;
  readonly #events: PtyEvents;
  readonly #master: number;
  /** Held open so that the kernel keeps unread output after the last program has gone. */
  readonly #slave: number;
  readonly #reader: PtyReader;
  readonly #writer: PtyWriter;
  #drain: ExitDrain | null = null;
  #exit: { exitCode: number; signal: number } | null = null;
  #closed = false;

  constructor(native: NativePty, helper: string, turns: ReadTurns, spec: PtySpec, events: PtyEvents) {
    this.#native = native;
    this.#events = events;
    const env = Object.entries({ ...spec.env, PWD: spec.cwd }).map(([key, value]) => `${key}=${value}`);
    const onExit = (exitCode: number, signal: number) => this.#programEnded(exitCode, signal);
    const { file, args, cwd, cols, rows } = spec;
    const child = native.fork(file, args, env, cwd, cols, rows, SAME_USER, SAME_USER, true, helper, onExit);
    this.pid = child.pid;
    this.#master = child.fd;
    try {
      this.#slave = openSync(child.pty, constants.O_RDWR | constants.O_NOCTTY | constants.O_NONBLOCK);
    } catch (error) {
      this.#closed = true;
      closeSync(child.fd);
      process.kill(child.pid, 'SIGKILL');
      throw error;
    }
    this.#writer = new PtyWriter(child.fd, () => events.written());
    this.#reader = new PtyReader(child.fd, turns, {
      allowance: () => events.allowance(),
      bytes: (bytes) => this.#read(bytes),
      ended: () => this.#ended(),
    });
  }

  get written(): number {
    return this.#writer.written;
  }

  get pendingInput(): number {
    return this.#writer.pending;
  }

  update(): void {
    if (this.#closed) return;
    this.#reader.update();
    this.#drain?.update();
  }

  write(bytes: Uint8Array): void {
    this.#writer.write(bytes);
  }

  resize(cols: number, rows: number): void {
    if (!this.#reader.closed) this.#native.resize(this.#master, cols, rows, 0, 0);
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#drain?.stop();
    this.#writer.close();
    this.#reader.close();
    closeSync(this.#slave);
  }

  #read(bytes: Buffer): void {
    if (this.#drain) this.#drain.read(bytes);
    else this.#events.output(bytes);
  }

  #programEnded(exitCode: number, signal: number): void {
    this.#exit = { exitCode, signal };
    if (this.#closed) return;
    this.#writer.close();
    if (this.#reader.closed) {
      this.#finish();
      return;
    }
    this.#drain = new ExitDrain({
      master: this.#master,
      slave: this.#slave,
      reader: this.#reader,
      output: (bytes) => this.#events.output(bytes),
      done: () => this.#finish(),
    });
    this.#drain.update();
  }

  /** The master gave an error or its end, which it does not while the slave is held, save on a platform's whim. */
  #ended(): void {
    if (this.#drain) this.#drain.ended();
    else this.#writer.close();
  }

  #finish(): void {
    if (this.#closed || !this.#exit) return;
    const { exitCode, signal } = this.#exit;
    this.close();
    this.#events.exited(exitCode, signal);
  }
}
