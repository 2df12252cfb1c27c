import type { HostConnection } from '#dist/workers/pty-host/client/host-client.js';
import type { RestoreState, TerminalSink } from '#dist/workers/pty-host/client/terminal-sink.js';

const CHECKPOINT_EVERY = 256 * 1024;

/**
 * Reads the output of a program that prints the numbers from 1 on, one a line, over several connections. Checks that
 * each byte arrives once and in its place: positions leave no gap, and output that is read again is skipped.
 */
export class NumberedReader implements TerminalSink {
  /** Position up to which the output was read. */
  seen = 0;
  /** Last whole number. */
  last = 0;
  /** First fault found, or null. */
  fault: string | null = null;
  exit: Parameters<TerminalSink['exited']>[0] | null = null;
  #position = 0;
  #saved = 0;
  #size = { cols: 0, rows: 0 };
  #rest = '';
  #connection: HostConnection | null = null;
  #handle = 0;

  attach(connection: HostConnection, handle: number): void {
    this.#connection = connection;
    this.#handle = handle;
    connection.attach(handle, this);
  }

  restore({ position, cols, rows }: RestoreState): void {
    if (position > this.seen) this.fault ??= `the log begins at ${position}, but only ${this.seen} were read`;
    this.#position = position;
    this.#saved = position;
    this.#size = { cols, rows };
  }

  output(bytes: Buffer): void {
    const known = Math.min(bytes.length, this.seen - this.#position);
    this.#position += bytes.length;
    if (known < bytes.length) {
      this.seen = this.#position;
      this.#read(bytes.subarray(known).toString('latin1'));
    }
    this.#connection?.confirm(this.#handle, this.#position);
    if (this.#position - this.#saved >= CHECKPOINT_EVERY) this.checkpointWanted();
  }

  checkpointWanted(): void {
    this.#saved = this.#position;
    const bytes = Buffer.from(`checkpoint at ${this.#position}`);
    this.#connection?.checkpoint(this.#handle, { position: this.#position, ...this.#size, bytes });
  }

  resized(cols: number, rows: number): void {
    this.#size = { cols, rows };
  }

  exited(exit: NonNullable<NumberedReader['exit']>): void {
    this.exit = exit;
  }

  #read(text: string): void {
    const lines = (this.#rest + text).split('\r\n');
    this.#rest = lines.pop()!;
    for (const line of lines) {
      this.last += 1;
      if (line !== String(this.last))
        this.fault ??= `line ${this.last} is ${JSON.stringify(line.slice(0, 80))}`;
    }
  }
}
