import { readSync } from 'node:fs';
import type { ConnectOpts, SocketConstructorOpts } from 'node:net';
import { ReadStream } from 'node:tty';
import { type FloodShare, FULL_READ_BYTES } from './flood-share.js';

export interface ReaderSink {
  /** How many bytes may be read now; none or less pauses the reader. */
  allowance(): number;
  /** Output; the memory is lent until the call returns. */
  bytes(bytes: Buffer): void;
  /** The PTY can not be read any more. */
  ended(): void;
}

/** What all readers of the process share: reads of different PTYs never overlap in one thread. */
export interface ReadTurns {
  /** Where output is read to. Its size is the most that is read in one loop turn, of all PTYs together. */
  readonly scratch: Buffer;
  readonly floods: FloodShare<PtyReader>;
}

/**
 * Reads one PTY master. A PTY gives at most 4 KiB a read, so that a flood would cost a turn of the event loop for
 * each 4 KiB: once readiness is reported, it is read on at once until it runs dry or has had its share. Each such
 * read waits in the kernel for the program's writes, so that PTYs in flood share the turn, and rest after it: a
 * keystroke's echo waits hardly longer beside many of them than beside one.
 */
export class PtyReader {
  readonly #fd: number;
  readonly #sink: ReaderSink;
  readonly #turns: ReadTurns;
  readonly #stream: ReadStream;
  #reading = false;
  #rest: NodeJS.Timeout | undefined;
  #closed = false;

  /** Takes over `fd` and closes it at {@link close}. */
  constructor(fd: number, turns: ReadTurns, sink: ReaderSink) {
    this.#fd = fd;
    this.#turns = turns;
    this.#sink = sink;
    // Node's ReadStream passes all options of a socket on; its types leave `onread` out.
    const options: SocketConstructorOpts & Pick<ConnectOpts, 'onread'> = {
      onread: { buffer: turns.scratch, callback: (count) => this.#onRead(count) },
    };
    this.#stream = new ReadStream(fd, options);
    this.#stream.on('error', () => this.#ended());
    this.#stream.on('end', () => this.#ended());
  }

  get closed(): boolean {
    return this.#closed;
  }

  get paused(): boolean {
    return !this.#reading;
  }

  /** Reads on, or pauses, as the sink's allowance says. */
  update(): void {
    if (this.#closed) return;
    const reading = this.#rest === undefined && this.#sink.allowance() > 0;
    if (reading === this.#reading) return;
    this.#reading = reading;
    if (reading) this.#stream.resume();
    else this.#stream.pause();
  }

  /** Reads what is there right now, without waiting for the event loop; answers how much. */
  readNow(): number {
    if (this.#closed || !this.#reading) return 0;
    const count = this.#readOn(0, Math.min(this.#turns.scratch.length, this.#sink.allowance()));
    if (count > 0) this.#deliver(count);
    return count;
  }

  /** Frees the descriptor; nothing is delivered after this. */
  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#reading = false;
    this.#turns.floods.leave(this);
    clearTimeout(this.#rest);
    this.#stream.destroy();
  }

  #onRead(count: number): boolean {
    if (this.#closed || count <= 0) return true;
    const { floods } = this.#turns;
    const end = this.#readOn(count, Math.min(floods.limit(this, count), this.#sink.allowance()));
    const rest = floods.rest(this, end);
    if (rest > 0) this.#rest = setTimeout(() => this.#onRested(), rest);
    this.#deliver(end);
    return true;
  }

  #onRested(): void {
    this.#rest = undefined;
    this.update();
  }

  #deliver(count: number): void {
    this.#sink.bytes(this.#turns.scratch.subarray(0, count));
    this.update();
  }

  /** Fills the scratch memory from `start` to at most `limit`; answers where it ends. */
  #readOn(start: number, limit: number): number {
    let end = start;
    try {
      while (end < limit) {
        const count = readSync(this.#fd, this.#turns.scratch, end, limit - end, null);
        end += count;
        if (count < FULL_READ_BYTES) break;
      }
    } catch {
      // Empty (EAGAIN), or ended: then the stream meets that too, and reports it.
    }
    return end;
  }

  #ended(): void {
    if (this.#closed) return;
    this.close();
    this.#sink.ended();
  }
}
