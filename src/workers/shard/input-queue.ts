import { DomainError } from '../../contract/errors.js';
import { MAX_PENDING_INPUT_BYTES } from '../../contract/limits.js';
import type { InputPart } from '../../contract/terminal.js';

/** What a paste adds around its text (two brackets and a submit sequence): not charged to the user. */
const FRAMING_BYTES = 64;

/** Small writes behind one that waits are joined up to this size: the bound in bytes then bounds the parts, too. */
const JOIN_BYTES = 4096;

interface Part {
  bytes: Buffer;
  delayMs: number;
}

export interface InputQueueOptions {
  /** Bytes that the PTY has taken before. */
  written: number;
  /** Bytes that the pty host has accepted before; what is over `written` still waits there. */
  accepted: number;
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
  readonly #parts: Part[] = [];
  #waiting = 0;
  #sent: number;
  #written: number;
  #timer: NodeJS.Timeout | undefined;
  #stopped = false;

  constructor(options: InputQueueOptions) {
    this.#options = options;
    this.#sent = options.accepted;
    this.#written = options.written;
  }

  /** Accepts a request whole, or throws `input-buffer-full` and takes none of it. */
  push(request: InputPart[]): void {
    const parts = request.map(({ data, delayMs = 0 }) => ({ bytes: Buffer.from(data, 'utf8'), delayMs }));
    const size = parts.reduce((sum, part) => sum + part.bytes.length, 0);
    if (this.#pending + size > MAX_PENDING_INPUT_BYTES + FRAMING_BYTES)
      throw new DomainError('input-buffer-full');
    for (const part of parts) this.#append(part);
    this.#advance();
  }

  /** Accepts an answer of the terminal to a query; where nobody reads, it is dropped, as a full line drops it. */
  reply(data: string): void {
    const bytes = Buffer.from(data, 'utf8');
    if (this.#stopped || this.#pending + bytes.length > MAX_PENDING_INPUT_BYTES) return;
    this.#append({ bytes, delayMs: 0 });
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
    this.#parts.length = 0;
    this.#waiting = 0;
    clearTimeout(this.#timer);
  }

  /** Bytes accepted that the program's terminal has not taken yet. */
  get #pending(): number {
    return this.#waiting + Math.max(0, this.#sent - this.#written);
  }

  #append(part: Part): void {
    this.#waiting += part.bytes.length;
    const last = this.#parts.at(-1);
    if (last && part.delayMs === 0 && last.bytes.length + part.bytes.length <= JOIN_BYTES) {
      last.bytes = Buffer.concat([last.bytes, part.bytes]);
    } else {
      this.#parts.push(part);
    }
  }

  #advance(): void {
    if (this.#stopped || this.#timer) return;
    for (let part = this.#parts[0]; part; part = this.#parts[0]) {
      if (part.delayMs > 0) {
        // The pause runs from when the program was given the part before, not from when it was sent.
        if (this.#sent > this.#written) return;
        this.#pause(part);
        return;
      }
      this.#parts.shift();
      this.#waiting -= part.bytes.length;
      this.#sent += part.bytes.length;
      if (part.bytes.length > 0) this.#options.write(part.bytes);
    }
  }

  #pause(part: Part): void {
    const { delayMs } = part;
    part.delayMs = 0;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#advance();
    }, delayMs);
  }
}
