import { readSync } from 'node:fs';
import type { ConnectOpts, SocketConstructorOpts } from 'node:net';
import { ReadStream } from 'node:tty';
import { AWAITED_OUTPUT_MS, SWEEP_MS } from '../../../contract/limits.js';
import { type FloodShare, FULL_READ_BYTES } from './flood-share.js';
import type { Sweep, Swept } from './sweep.js';

export interface ReaderSink {
  /** Returns how many bytes may be read now; zero or less pauses the reader. */
  allowance(): number;
  /** Takes output; the memory is lent until the call returns. */
  bytes(bytes: Buffer): void;
  /** Called when the PTY cannot be read any more. */
  ended(): void;
}

/** Parts that all readers of the process share, since reads of different PTYs never overlap in one thread. */
export interface ReaderContext {
  /** Memory that output is read into. Its size is the most that one PTY gives in a turn of the event loop. */
  readonly scratch: Buffer;
  readonly floods: FloodShare<PtyReader>;
  readonly sweep: Sweep;
}

/**
 * Reads one PTY master. A PTY gives at most 4 KiB a read, so that a flood would cost a turn of the event loop for each
 * 4 KiB. So once the PTY is reported readable, it is read repeatedly until it is empty or has used its share. Each such
 * read waits in the kernel for the program's writes, so PTYs in flood share the turn and stay idle after it: a
 * keystroke's echo waits hardly longer beside many floods than beside one.
 *
 * Beside many others that print a little, the PTY is swept, see {@link Sweep}, unless somebody may wait for its output.
 */
export class PtyReader implements Swept {
  readonly fd: number;
  readonly #sink: ReaderSink;
  readonly #context: ReaderContext;
  readonly #stream: ReadStream;
  #reading = false;
  #rest: NodeJS.Timeout | undefined;
  /** Whether the stream is paused, and the sweep reads in its place. */
  #isSwept = false;
  #readAt = 0;
  /** Time until which output is read at once, at first counted from the start: somebody waits for the first output, too. */
  #awaitedUntil = performance.now() + AWAITED_OUTPUT_MS;
  #closed = false;

  /** Takes ownership of `fd`, and closes it at {@link close}. */
  constructor(fd: number, context: ReaderContext, sink: ReaderSink) {
    this.fd = fd;
    this.#context = context;
    this.#sink = sink;
    // Node's ReadStream passes on all options of a socket, but its types omit `onread`.
    const options: SocketConstructorOpts & Pick<ConnectOpts, 'onread'> = {
      onread: { buffer: context.scratch, callback: (count) => this.#onRead(count) },
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

  /** Resumes or pauses reading according to the sink's allowance. */
  update(): void {
    if (this.#closed) return;
    const reading = this.#rest === undefined && this.#sink.allowance() > 0;
    if (reading === this.#reading) return;
    this.#reading = reading;
    this.#leaveSweep();
    if (reading) this.#stream.resume();
    else this.#stream.pause();
  }

  /** Reads as soon as there is output, for some time, since somebody may wait for it. */
  hurry(): void {
    this.#awaitedUntil = performance.now() + AWAITED_OUTPUT_MS;
    this.unswept();
  }

  swept(): void {
    const { scratch, sweep } = this.#context;
    const allowance = Math.min(scratch.length, this.#sink.allowance());
    if (allowance <= 0) {
      this.update();
      return;
    }
    const count = readOnce(this.fd, scratch, allowance);
    if (count === undefined) return;
    this.#readAt = performance.now();
    if (count > 0) this.#deliver(count);
    if (count > 0 && count < FULL_READ_BYTES) sweep.counts();
    // The stream meets the end, too, and reports it.
    else this.unswept();
  }

  unswept(): void {
    if (this.#leaveSweep()) this.#stream.resume();
  }

  /**
   * Reads the output that is available at this moment, without waiting for the event loop, and also while a flood rests.
   * Returns the number of bytes.
   */
  readNow(): number {
    const allowance = this.#sink.allowance();
    if (this.#closed || allowance <= 0) return 0;
    const count = this.#readOn(0, Math.min(this.#context.scratch.length, allowance));
    if (count > 0) this.#deliver(count);
    return count;
  }

  /** Closes the descriptor; nothing is delivered after this. */
  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#reading = false;
    this.#context.floods.leave(this);
    this.#leaveSweep();
    clearTimeout(this.#rest);
    this.#stream.destroy();
  }

  #onRead(count: number): boolean {
    if (this.#closed || count <= 0) return true;
    const { floods } = this.#context;
    const end = this.#readOn(count, Math.min(floods.limit(this, count), this.#sink.allowance()));
    const rest = floods.rest(this, end);
    if (rest > 0) this.#rest = setTimeout(() => this.#onRested(), rest);
    this.#deliver(end);
    const now = performance.now();
    // A flood has small reads, too, one directly after the other.
    const isLittle = end < FULL_READ_BYTES && now - this.#readAt >= SWEEP_MS;
    this.#readAt = now;
    if (isLittle && this.#context.sweep.counts()) this.#beSwept(now);
    return true;
  }

  #beSwept(now: number): void {
    if (!this.#reading || now < this.#awaitedUntil || !this.#context.sweep.add(this)) return;
    this.#isSwept = true;
    this.#stream.pause();
  }

  /** Returns whether the PTY was swept. */
  #leaveSweep(): boolean {
    if (!this.#isSwept) return false;
    this.#isSwept = false;
    this.#context.sweep.remove(this);
    return true;
  }

  #onRested(): void {
    this.#rest = undefined;
    this.update();
  }

  #deliver(count: number): void {
    this.#sink.bytes(this.#context.scratch.subarray(0, count));
    this.update();
  }

  /** Fills the scratch memory from `start` to at most `limit`; returns where the data ends. */
  #readOn(start: number, limit: number): number {
    let end = start;
    try {
      while (end < limit) {
        const count = readSync(this.fd, this.#context.scratch, end, limit - end, null);
        end += count;
        if (count < FULL_READ_BYTES) break;
      }
    } catch {
      // Empty (EAGAIN), or ended: the stream detects the end, too, and reports it.
    }
    return end;
  }

  #ended(): void {
    if (this.#closed) return;
    this.close();
    this.#sink.ended();
  }
}

/** Returns the number of bytes read, 0 at the end; undefined if there is nothing to read now. */
function readOnce(fd: number, into: Buffer, most: number): number | undefined {
  try {
    return readSync(fd, into, 0, most, null);
  } catch (error) {
    // A PTY that was hung up fails in place of ending.
    return (error as NodeJS.ErrnoException).code === 'EAGAIN' ? undefined : 0;
  }
}
