import { writeSync } from 'node:fs';
import { MAX_WRITE_BACKOFF_MS } from '../../../contract/limits.js';
import { ByteQueue } from '../log/byte-queue.js';
import { mayBeHidden } from './hidden-input.js';

/** Retries in the next turn of the loop before pauses begin: a program that is reading takes bytes in microseconds. */
const IMMEDIATE_RETRIES = 3;

/** Bytes written in one turn, so that a large paste does not delay the other terminals. */
const BYTES_PER_TURN = 64 * 1024;

/** Writes `bytes` to a nonblocking descriptor. Returns how many it took, 0 when it is full; throws any other error. */
export function tryWrite(fd: number, bytes: Uint8Array): number {
  try {
    return writeSync(fd, bytes);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EAGAIN') return 0;
    throw error;
  }
}

/**
 * The input queue of one PTY: bytes reach the PTY whole and in order. A program that does not read costs nothing but a
 * timer. After {@link close} the descriptor is never used again, since its number may be another file's.
 */
export class PtyWriter {
  readonly #fd: number;
  readonly #onWritten: () => void;
  readonly #queue = new ByteQueue();
  readonly #hidesInput: () => boolean;
  #closed = false;
  #isHungUp = false;
  #written = 0;
  #hiddenEnd = 0;
  #attempts = 0;
  #immediate: NodeJS.Immediate | null = null;
  #timer: NodeJS.Timeout | null = null;

  /**
   * @param onWritten - called whenever {@link written} has grown
   * @param hidesInput - returns whether the terminal echoes no input; called before each write and after most
   */
  constructor(fd: number, onWritten: () => void, hidesInput: () => boolean) {
    this.#fd = fd;
    this.#onWritten = onWritten;
    this.#hidesInput = hidesInput;
  }

  /** Input bytes that the PTY has taken since spawn, or that were dropped at its end. */
  get written(): number {
    return this.#written;
  }

  /** See {@link PtyPort.hiddenEnd}. */
  get hiddenEnd(): number {
    return this.#hiddenEnd;
  }

  get pending(): number {
    return this.#queue.length;
  }

  /** Returns the input that is not written yet, in views that are lent until the next write. */
  unwritten(): Buffer[] {
    return this.#queue.views(0, this.#queue.length);
  }

  write(bytes: Uint8Array): void {
    let rest = bytes;
    if (!this.#closed && this.#queue.length === 0) {
      const count = this.#attempt(bytes.subarray(0, BYTES_PER_TURN));
      rest = bytes.subarray(count);
      this.#taken(count);
    }
    // Also checked after the attempt above, which may have met the end of the PTY.
    if (this.#closed) {
      this.#dropped(rest.length);
      return;
    }
    this.#queue.append(rest);
    this.#schedule();
  }

  /** Stops for good and drops pending input. */
  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    if (this.#immediate) clearImmediate(this.#immediate);
    if (this.#timer) clearTimeout(this.#timer);
    const dropped = this.#queue.length;
    this.#queue.clear();
    this.#dropped(dropped);
  }

  #schedule(): void {
    if (this.#queue.length === 0 || this.#immediate || this.#timer) return;
    if (this.#attempts <= IMMEDIATE_RETRIES) {
      this.#immediate = setImmediate(() => {
        this.#immediate = null;
        this.#turn();
      });
      return;
    }
    const pause = Math.min(MAX_WRITE_BACKOFF_MS, 2 ** (this.#attempts - IMMEDIATE_RETRIES - 1));
    this.#timer = setTimeout(() => {
      this.#timer = null;
      this.#turn();
    }, pause);
  }

  #turn(): void {
    for (const view of this.#queue.views(0, BYTES_PER_TURN)) {
      const count = this.#attempt(view);
      // Dropped first, since the report may add input that waits until nothing is pending.
      this.#queue.drop(count);
      this.#taken(count);
      if (this.#closed) return;
      if (count < view.length) break;
    }
    this.#schedule();
  }

  /** Counts the bytes that the PTY has taken, and closes if the PTY is gone. */
  #taken(count: number): void {
    this.#count(count);
    if (this.#isHungUp) this.close();
  }

  /** Writes until the kernel's buffer is full; returns how many bytes it took. */
  #attempt(bytes: Uint8Array): number {
    let done = 0;
    const wasHiding = this.#hidesInput();
    try {
      while (done < bytes.length) {
        const count = tryWrite(this.#fd, bytes.subarray(done));
        if (count === 0) break;
        done += count;
      }
    } catch {
      // Hung up (EIO): nobody will read this any more.
      this.#isHungUp = true;
    }
    this.#attempts = done > 0 ? 0 : this.#attempts + 1;
    const taken = bytes.subarray(0, done);
    if (mayBeHidden(taken, wasHiding, this.#hidesInput)) this.#hiddenEnd = this.#written + done;
    return done;
  }

  #dropped(bytes: number): void {
    // Whether the program would have hidden this input is unknown, so it counts as hidden.
    if (bytes > 0) this.#hiddenEnd = this.#written + bytes;
    this.#count(bytes);
  }

  #count(bytes: number): void {
    if (bytes === 0) return;
    this.#written += bytes;
    this.#onWritten();
  }
}
