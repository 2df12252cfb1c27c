import { closeSync } from 'node:fs';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { MAX_UNREAD_BYTES } from '../../../contract/limits.js';
import { enteredSpec } from '../limits/entered-spec.js';
import { MAX_OUTPUT_FRAME_BYTES } from '../log/attachment.js';
import { ExitDrain, type KeptDrain } from './exit-drain.js';
import { FloodShare } from './flood-share.js';
import { GonePty } from './gone-pty.js';
import type { Libc } from './libc.js';
import { NodePtyFork } from './node-pty-fork.js';
import { PosixSpawn } from './posix-spawn.js';
import type { KeptPty, OpenPty, ProgramEnd, PtyEvents, PtyPort } from './pty-port.js';
import { PtyReader, type ReaderContext } from './pty-reader.js';
import { PtyWriter } from './pty-writer.js';
import type { OnExit, Started, Starter } from './starter.js';
import { Sweep } from './sweep.js';

/** Maximum bytes read in one turn of the loop: a millisecond of a program in flood, which goes out as one frame. */
const READ_TURN_BYTES = MAX_OUTPUT_FRAME_BYTES;

/** Milliseconds after which a read of all output yields to the other terminals. */
const READ_ALL_TURN_MS = 4;

/** Opens the PTYs of this process. */
export interface Ptys {
  open: OpenPty;
  /** Goes on with a PTY whose descriptors this process had before it was renewed. */
  adopt(kept: KeptPty, pid: number, events: PtyEvents): PtyPort;
}

/** Returns the opener of PTYs on this platform. Logs a message if PTYs are slow to create. */
export function loadPty(libc: Libc | { missing: string }, log: (message: string) => void): Ptys {
  if (process.platform === 'win32') throw new Error('the pty host does not run on Windows yet');
  const starter = loadStarter(libc, log);
  const context: ReaderContext = {
    scratch: Buffer.allocUnsafeSlow(READ_TURN_BYTES),
    floods: new FloodShare({ turnBytes: READ_TURN_BYTES }),
    sweep: new Sweep('missing' in libc ? undefined : libc.openEpoll()),
  };
  // Without the C library, only the terminal's screen shows whether typed input was hidden.
  const hidesInput = 'missing' in libc ? () => false : libc.hidesInput;
  const parts = { starter, context, hidesInput };
  return {
    open: (spec, events) => {
      const started = spec.entry ? enteredSpec(spec, spec.entry) : spec;
      const start = (onExit: OnExit) => starter.start(started, onExit);
      return new UnixPty(parts, start, events);
    },
    adopt: ({ files, end, drain }, pid, events) => {
      if (!files) return new GonePty(pid, pid);
      const start = (onExit: OnExit) => {
        if (!end) {
          if (!starter.adopt)
            throw new Error('the end of a program that was started before cannot be learned');
          starter.adopt(pid, onExit);
        }
        return { pid, ...files };
      };
      return new UnixPty(parts, start, events, end && { end, drain });
    },
  };
}

function loadStarter(libc: Libc | { missing: string }, log: (message: string) => void): Starter {
  if (!('missing' in libc)) return new PosixSpawn(libc);
  if (process.platform === 'linux') log(`programs are started by fork, which is slow: ${libc.missing}`);
  return new NodePtyFork();
}

/** Parts that all PTYs share. */
interface UnixParts {
  starter: Starter;
  context: ReaderContext;
  hidesInput: Libc['hidesInput'];
}

/** The end of a program that was seen before the host was renewed. */
interface EarlierEnd {
  end: ProgramEnd;
  drain: KeptDrain | null;
}

class UnixPty implements PtyPort {
  readonly pid: number;
  readonly answersQueries = false;
  readonly #starter: Starter;
  readonly #events: PtyEvents;
  readonly #master: number;
  /** Held open so that the kernel keeps unread output after the last program is gone. */
  readonly #slave: number;
  readonly #reader: PtyReader;
  readonly #writer: PtyWriter;
  #drain: ExitDrain | null = null;
  #exit: ProgramEnd | null = null;
  #closed = false;
  /** Number of bytes read. */
  #received = 0;

  constructor(
    { starter, context, hidesInput }: UnixParts,
    start: (onExit: OnExit) => Started,
    events: PtyEvents,
    earlier?: EarlierEnd | null,
  ) {
    this.#starter = starter;
    this.#events = events;
    const started = start((exitCode, signal) => this.#programEnded({ exitCode, signal }));
    this.pid = started.pid;
    this.#master = started.master;
    this.#slave = started.slave;
    this.#writer = new PtyWriter(
      this.#master,
      () => events.written(),
      () => hidesInput(this.#master),
    );
    this.#reader = new PtyReader(this.#master, context, {
      allowance: () => events.allowance(),
      bytes: (bytes) => this.#read(bytes),
      ended: () => this.#ended(),
    });
    // Before anything is read, since the marker may be in the output already.
    if (earlier) this.#programEnded(earlier.end, earlier.drain);
  }

  get leader(): number {
    return this.pid;
  }

  get written(): number {
    return this.#writer.written;
  }

  get pendingInput(): number {
    return this.#writer.pending;
  }

  get hiddenEnd(): number {
    return this.#writer.hiddenEnd;
  }

  update(): void {
    if (this.#closed) return;
    this.#reader.update();
    this.#drain?.update();
  }

  write(bytes: Uint8Array): void {
    this.#reader.hurry();
    this.#writer.write(bytes);
  }

  resize(cols: number, rows: number): void {
    if (!this.#reader.closed) this.#starter.resize(this.#master, cols, rows);
    this.#events.resized(cols, rows);
  }

  async capture(): Promise<null> {
    return null;
  }

  async readAll(): Promise<boolean> {
    // Beside a flood of short writes there is always more, and each read gives a few bytes.
    const enough = this.#received + MAX_UNREAD_BYTES;
    let turnEnds = performance.now() + READ_ALL_TURN_MS;
    while (this.#received < enough && this.#reader.readNow() > 0) {
      if (performance.now() < turnEnds) continue;
      await nextTurn();
      turnEnds = performance.now() + READ_ALL_TURN_MS;
    }
    return this.#closed || this.#received >= enough || this.#events.allowance() > 0;
  }

  keep(): KeptPty | null {
    const files = this.#closed ? null : { master: this.#master, slave: this.#slave };
    const canGoOn = !files || this.#exit || this.#starter.adopt;
    const drain = this.#drain?.keep() ?? null;
    return canGoOn ? { files, end: this.#exit, drain, input: this.#writer.unwritten() } : null;
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
    this.#received += bytes.length;
    if (this.#drain) this.#drain.read(bytes);
    else this.#events.output(bytes);
  }

  #programEnded(end: ProgramEnd, earlier?: KeptDrain | null): void {
    this.#exit = end;
    if (this.#closed) return;
    this.#writer.close();
    if (this.#reader.closed) {
      this.#finish();
      return;
    }
    const drained = {
      master: this.#master,
      slave: this.#slave,
      reader: this.#reader,
      output: (bytes: Buffer) => this.#events.output(bytes),
      done: () => this.#finish(),
    };
    this.#reader.hurry();
    this.#drain = new ExitDrain(drained, earlier);
    this.#drain.update();
  }

  /** Handles an error or the end of the master. While the slave is held, neither comes, except on odd platforms. */
  #ended(): void {
    if (this.#drain) this.#drain.ended();
    else this.#writer.close();
  }

  #finish(): void {
    if (this.#closed || !this.#exit) return;
    this.close();
    this.#events.exited(this.#exit);
  }
}
