import { MAX_FLEET_STREAM_MESSAGE_BYTES } from '../../contract/limits.js';

/** Outcome of a part. `late`: it has come before; `gap`: an earlier part is missing; `broken`: more than was allowed. */
export type Taken = 'taken' | 'late' | 'gap' | 'broken';

/**
 * The follower's end of a stream: joins parts to messages, in order, and decides how much more the owner may send. Pure:
 * neither clocks nor sockets.
 */
export class StreamReceiver {
  readonly #onMessage: (bytes: Uint8Array<ArrayBuffer>) => void;
  readonly #free: (part: Uint8Array) => void;
  #parts: Uint8Array[] = [];
  #size = 0;
  #next = 0;
  #position = 0;
  #limit = 0;
  /** Bytes of messages that their reader has not taken: the owner may send that many fewer. */
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

  /** Bytes that the owner may still send, as far as is known here. */
  get outstanding(): number {
    return this.#limit - this.#position;
  }

  /** Returns how much further {@link allow} would let the owner go. */
  freed(window: number): number {
    return Math.max(0, this.#position + window - this.held - this.#limit);
  }

  /** Lets the owner send a window beyond what the reader has taken. Returns the limit in bytes since the stream began. */
  allow(window: number): number {
    this.#limit += this.freed(window);
    return this.#limit;
  }

  take(number: number, isLast: boolean, bytes: Uint8Array): Taken {
    if (number !== this.#next) return number < this.#next ? 'late' : 'gap';
    // Parts without bytes would take memory here without using up the owner's allowance.
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
