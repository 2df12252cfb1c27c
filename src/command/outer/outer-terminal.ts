import { write, writeSync } from 'node:fs';
import type { ReadStream, WriteStream } from 'node:tty';
import type { TerminalSize } from '../../client/types.js';

const FALLBACK: TerminalSize = { cols: 80, rows: 24 };

/** Most columns and rows that the service accepts; the rest of a larger terminal stays empty. */
const MAX_SIZE = 1000;

/** Pause before a write to a full terminal is repeated; the terminal counts as slow, not as gone. */
const FULL_RETRY_MS = 5;

/** A terminal to write to, such as `process.stdout`; Node's types leave the descriptor out. */
export type OuterOut = WriteStream & { readonly fd: number };

/**
 * The person's terminal. Node's own stream blocks the process while a terminal accepts no output, so that signals and
 * keys would go unnoticed: writes go to the descriptor, one after the other, outside the event loop.
 */
export class OuterTerminal {
  readonly #stdin: ReadStream | undefined;
  readonly #stdout: OuterOut;
  #written: Promise<void> = Promise.resolve();
  #isClosed = false;

  /** @param stdin - absent if no keys are read */
  constructor(stdin: ReadStream | undefined, stdout: OuterOut) {
    this.#stdin = stdin;
    this.#stdout = stdout;
  }

  get size(): TerminalSize {
    const [cols, rows] = this.#stdout.getWindowSize();
    return cols > 0 && rows > 0
      ? { cols: Math.min(cols, MAX_SIZE), rows: Math.min(rows, MAX_SIZE) }
      : FALLBACK;
  }

  /** Sets raw mode: each key arrives as it is pressed. */
  setRaw(): void {
    // Node sets the mode only when it changes, and another program may have changed it meanwhile, such as the shell after a stop.
    this.#stdin?.setRawMode(false);
    this.#stdin?.setRawMode(true);
  }

  /** Gives the terminal back as it was found. */
  setCooked(): void {
    // A terminal that is gone has no mode to restore.
    if (!this.#stdin?.destroyed) this.#stdin?.setRawMode(false);
  }

  /** Writes after everything before; resolves once the terminal has taken it. Rejects if the terminal is gone. */
  write(text: string): Promise<void> {
    if (text === '') return this.#written;
    const bytes = Buffer.from(text);
    const written = this.#written.then(() => this.#writeAll(bytes));
    // The caller gets the failure, and later writes fail by themselves.
    this.#written = written.catch(() => undefined);
    return written;
  }

  /** Drops unwritten output; afterwards only `writeLast` writes. */
  close(): void {
    this.#isClosed = true;
  }

  /** Takes writes again after `close`. */
  reopen(): void {
    this.#isClosed = false;
  }

  /** Writes after the write in progress, also when closed. */
  async writeLast(text: string): Promise<void> {
    await this.#written;
    await this.#writeAll(Buffer.from(text), true);
  }

  /** Writes at once, for a process that is about to end. */
  writeNow(text: string): void {
    try {
      writeSync(this.#stdout.fd, text);
    } catch {
      // The terminal is gone, and the process ends.
    }
  }

  async #writeAll(bytes: Buffer, isLast = false): Promise<void> {
    for (let at = 0; at < bytes.length; ) {
      if (this.#isClosed && !isLast) return;
      at += await writePart(this.#stdout.fd, bytes, at);
    }
  }
}

/** Most bytes of one write: between two writes to a slow terminal, the output may be dropped by `close`. */
const PART_BYTES = 16 * 1024;

function writePart(fd: number, bytes: Buffer, at: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const length = Math.min(bytes.length - at, PART_BYTES);
    write(fd, bytes, at, length, null, (error, count) => {
      if (!error) resolve(count);
      else if (error.code === 'EAGAIN') setTimeout(() => resolve(0), FULL_RETRY_MS);
      else reject(error);
    });
  });
}
