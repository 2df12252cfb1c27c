import { closeSync } from 'node:fs';
import { MAX_OUTPUT_FRAME_BYTES } from './attachment.js';
import { ExitDrain } from './exit-drain.js';
import { FloodShare } from './flood-share.js';
import { loadLibc } from './libc.js';
import { NodePtyFork } from './node-pty-fork.js';
import { PosixSpawn } from './posix-spawn.js';
import { PtyReader, type ReadTurns } from './pty-reader.js';
import { PtyWriter } from './pty-writer.js';
import type { PtySpec, Starter } from './starter.js';

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

/** Starts a program on a new PTY; throws when the system refuses. See spawn-check.ts for what to check before. */
export type OpenPty = (spec: PtySpec, events: PtyEvents) => Pty;

/** Most that is read in one turn of the event loop: a millisecond of a program in flood, which goes out as one frame. */
const READ_TURN_BYTES = MAX_OUTPUT_FRAME_BYTES;

/** The PTYs of this platform; `log` is told where they are slow to make. */
export function loadPty(log: (message: string) => void): OpenPty {
  if (process.platform === 'win32') throw new Error('the pty host does not run on Windows yet');
  const starter = loadStarter(log);
  const turns: ReadTurns = {
    scratch: Buffer.allocUnsafeSlow(READ_TURN_BYTES),
    floods: new FloodShare(READ_TURN_BYTES),
  };
  return (spec, events) => new UnixPty(starter, turns, spec, events);
}

function loadStarter(log: (message: string) => void): Starter {
  const libc = loadLibc(process.platform, process.arch);
  if (!('missing' in libc)) return new PosixSpawn(libc);
  if (process.platform === 'linux') log(`programs are started by fork, which is slow: ${libc.missing}`);
  return new NodePtyFork();
}

class UnixPty implements Pty {
  readonly pid: number;
  readonly #starter: Starter;
  readonly #events: PtyEvents;
  readonly #master: number;
  /** Held open so that the kernel keeps unread output after the last program has gone. */
  readonly #slave: number;
  readonly #reader: PtyReader;
  readonly #writer: PtyWriter;
  #drain: ExitDrain | null = null;
  #exit: { exitCode: number; signal: number } | null = null;
  #closed = false;

  constructor(starter: Starter, turns: ReadTurns, spec: PtySpec, events: PtyEvents) {
    this.#starter = starter;
    this.#events = events;
    const started = starter.start(spec, (exitCode, signal) => this.#programEnded(exitCode, signal));
    this.pid = started.pid;
    this.#master = started.master;
    this.#slave = started.slave;
    this.#writer = new PtyWriter(this.#master, () => events.written());
    this.#reader = new PtyReader(this.#master, turns, {
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
    if (!this.#reader.closed) this.#starter.resize(this.#master, cols, rows);
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
