import { MAX_FLEET_STREAM_MESSAGE_BYTES } from '../../contract/limits.js';

/** What came of a part. `late`: it came before; `gap`: an earlier one is missing; `broken`: more than was allowed. */
export type Taken = 'taken' | 'late' | 'gap' | 'broken';

/**
 * The follower's end of a stream: puts parts together to messages, in order, and says how much it takes. Pure: neither
 * clocks nor sockets.
 */
export class StreamReceiver {
  readonly #onMessage: (bytes: Uint8Array<ArrayBuffer>) => void;
  readonly #free: (part: Uint8Array) => void;
  #parts: Uint8Array[] = [];
  #size = 0;
  #next = 0;
  #position = 0;
  #limit = 0;
  /** Bytes of messages that their reader has not taken: so much less is asked for. */
  held = 0;

  /** @param free - frees a part that is not needed any more */
  constructor(onMessage: (bytes: Uint8Array<ArrayBuffer>) => void, free: (part: Uint8Array) => void) {
    this.#onMessage = onMessage;
    this.#free = free;
  }

  /** Number of the first part that has not come. */
  get next(): number {
    return this.#next;
  }

  /** Bytes that have come since the stream began. */
  get position(): number {
    return this.#position;
  }

  /** Bytes that the owner may send and has not sent yet, as far as it is known here. */
  get outstanding(): number {
    return this.#limit - this.#position;
  }

  /** Returns how much further {@link allow} would let the owner go. */
  freed(window: number): number {
    return Math.max(0, this.#position + window - this.held - this.#limit);
  }

  /** Lets the owner send a window more than its reader has taken. Returns the bytes that it may send since the stream began. */
  allow(window: number): number {
    this.#limit += this.freed(window);
    return this.#limit;
  }

  take(number: number, isLast: boolean, bytes: Uint8Array): Taken {
    if (number !== this.#next) return number < this.#next ? 'late' : 'gap';
    // Parts without bytes would take memory, and none of what the other machine may send.
    if (bytes.length === 0 || bytes.length > this.outstanding) return 'broken';
    this.#next++;
    this.#position += bytes.length;
    this.#size += bytes.length;
    if (this.#size > MAX_FLEET_STREAM_MESSAGE_BYTES) return 'broken';
    this.#parts.push(bytes);
    if (isLast) this.#deliver();
    return 'taken';
  }

  #deliver(): void {
    const message = new Uint8Array(this.#size);
    let at = 0;
    for (const part of this.#parts) {
      message.set(part, at);
      at += part.length;
      this.#free(part);
    }
    this.#parts = [];
    this.#size = 0;
    this.#onMessage(message);
  }
}
