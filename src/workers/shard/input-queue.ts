import { DomainError } from '../../contract/errors.js';
import { MAX_PENDING_INPUT_BYTES } from '../../contract/limits.js';
import type { InputPart } from '../../contract/terminal.js';

/** What a paste adds around its text (two brackets and a submit sequence): not charged to the user. */
const FRAMING_BYTES = 64;

interface Part {
  bytes: Buffer;
  delayMs: number;
}

export interface InputQueueOptions {
  /** Bytes the program has been given before. */
  written: number;
  /** Sends bytes to the PTY; it reports them by {@link InputQueue.written}. */
  write: (bytes: Uint8Array) => void;
}

/**
 * Typing into one terminal: requests in their order, each whole, with the pauses between its parts. Bounded:
 * what a program does not read is refused at {@link MAX_PENDING_INPUT_BYTES}.
 */
export class InputQueue {
  readonly #options: InputQueueOptions;
  /** Parts not sent yet, in order; a request's parts stand together. */
  #parts: Part[] = [];
  #waiting = 0;
  #sent: number;
  #written: number;
  #timer: NodeJS.Timeout | undefined;
  #stopped = false;

  constructor(options: InputQueueOptions) {
    this.#options = options;
    this.#sent = options.written;
    this.#written = options.written;
  }

  /** Accepts a request whole, or throws `input-buffer-full` and takes none of it. */
  push(request: InputPart[]): void {
    const parts = request.map(({ data, delayMs = 0 }) => ({ bytes: Buffer.from(data, 'utf8'), delayMs }));
    const size = parts.reduce((sum, part) => sum + part.bytes.length, 0);
    if (this.#pending + size > MAX_PENDING_INPUT_BYTES + FRAMING_BYTES)
      throw new DomainError('input-buffer-full');
    this.#parts.push(...parts);
    this.#waiting += size;
    this.#advance();
  }

  /** Accepts an answer of the terminal to a query; where nobody reads, it is dropped, as a full line drops it. */
  reply(data: string): void {
    const bytes = Buffer.from(data, 'utf8');
    if (this.#stopped || this.#pending + bytes.length > MAX_PENDING_INPUT_BYTES) return;
    this.#parts.push({ bytes, delayMs: 0 });
    this.#waiting += bytes.length;
    this.#advance();
  }

  /** The PTY has taken `total` bytes since the terminal began. */
  written(total: number): void {
    this.#written = Math.max(this.#written, total);
    this.#advance();
  }

  /** Drops what has not been sent: the program is gone. */
  stop(): void {
    this.#stopped = true;
    this.#parts = [];
    this.#waiting = 0;
    clearTimeout(this.#timer);
  }

  /** Bytes accepted that the program's terminal has not taken yet. */
  get #pending(): number {
    return this.#waiting + Math.max(0, this.#sent - this.#written);
  }

  #advance(): void {
    if (this.#stopped || this.#timer) return;
    for (let part = this.#parts[0]; part; part = this.#parts[0]) {
      if (part.delayMs > 0) {
        // The pause runs from when the program was given the part before, not from when it was sent.
        if (this.#sent > this.#written) return;
        const { delayMs } = part;
        part.delayMs = 0;
        this.#timer = setTimeout(() => {
          this.#timer = undefined;
          this.#advance();
        }, delayMs);
        return;
      }
      this.#parts.shift();
      this.#waiting -= part.bytes.length;
      this.#sent += part.bytes.length;
      if (part.bytes.length > 0) this.#options.write(part.bytes);
    }
  }
}
