import { FLEET_PART_BYTES } from '../../contract/limits.js';
import type { StreamWindow } from './stream-window.js';

export interface StreamSenderOptions {
  /** Returns the packet of a part; called once for each number. */
  seal: (number: number, isLast: boolean, pieces: readonly Uint8Array[]) => Uint8Array;
  transmit: (packet: Uint8Array<ArrayBuffer>) => void;
  /** Frees a packet that is not needed any more. */
  free: (packet: Uint8Array) => void;
  /** Limit of the bytes under way, even if the follower takes more. */
  window: StreamWindow;
}

interface Waiting {
  /** Kind of the message, sent as its first byte. */
  kind: number;
  bytes: Uint8Array;
  /** Bytes that have become parts already. */
  taken: number;
  done: () => void;
}

interface Sent {
  packet: Uint8Array;
  /** Bytes of the part. */
  bytes: number;
  /** Callback of the message whose last part this is. */
  done: (() => void) | undefined;
}

/**
 * The owner's end of a stream: sends messages in order, in numbered parts. No more bytes are under way than the follower
 * takes, and each part is kept until it is confirmed, so that parts lost with a broken connection can be sent again.
 * Pure: neither clocks nor sockets.
 */
export class StreamSender {
  readonly #options: StreamSenderOptions;
  readonly #waiting: Waiting[] = [];
  /** Parts from {@link #first} on that are not confirmed. */
  #sent: Sent[] = [];
  /** Number of the oldest part that is not confirmed. */
  #first = 0;
  /** Bytes that have become parts, and how many the follower takes, both since the stream began. */
  #position = 0;
  #limit = 0;
  /** Bytes of the parts that are confirmed. */
  #confirmed = 0;

  constructor(options: StreamSenderOptions) {
    this.#options = options;
  }

  /** Number of the next part. */
  get next(): number {
    return this.#first + this.#sent.length;
  }

  /**
   * Takes a message. `done` is called once the follower has confirmed all of it, or the stream is closed.
   *
   * @param kind - its first byte, before `bytes`
   */
  send(kind: number, bytes: Uint8Array, done: () => void): void {
    this.#waiting.push({ kind, bytes, taken: 0, done });
    this.#pump();
  }

  /**
   * Notes the follower's progress; an older report than the last changes nothing.
   *
   * @param next - number of the first part that it has not got
   * @param limit - bytes that it takes since the stream began
   */
  confirm(next: number, limit: number): void {
    const count = Math.min(next, this.next) - this.#first;
    if (count > 0) {
      this.#first += count;
      for (const { packet, bytes, done } of this.#sent.splice(0, count)) {
        this.#confirmed += bytes;
        this.#options.free(packet);
        done?.();
      }
    }
    this.#limit = Math.max(this.#limit, limit);
    // Never below the bytes under way, which are within the limit.
    this.#options.window.resize(this.#limit - this.#confirmed);
    this.#pump();
  }

  /** Sends all parts again that are not confirmed. */
  again(): void {
    for (const { packet } of this.#sent) this.#options.transmit(Uint8Array.from(packet));
  }

  /** Drops all messages. */
  close(): void {
    const sent = this.#sent;
    this.#sent = [];
    this.#first += sent.length;
    for (const { done } of sent) done?.();
    for (const { done } of this.#waiting.splice(0)) done();
    this.#options.window.close();
  }

  #pump(): void {
    for (let message = this.#waiting[0]; message; message = this.#waiting[0]) {
      const length = Math.min(
        this.#limit - this.#position,
        this.#confirmed + this.#options.window.bytes - this.#position,
        FLEET_PART_BYTES,
        1 + message.bytes.length - message.taken,
      );
      if (length <= 0) return;
      const pieces = piecesOf(message, length);
      message.taken += length;
      this.#position += length;
      const isLast = message.taken > message.bytes.length;
      if (isLast) this.#waiting.shift();
      const packet = this.#options.seal(this.next, isLast, pieces);
      this.#sent.push({ packet, bytes: length, done: isLast ? message.done : undefined });
      this.#options.transmit(Uint8Array.from(packet));
    }
  }
}

function piecesOf({ kind, bytes, taken }: Waiting, length: number): Uint8Array[] {
  if (taken === 0) return [Uint8Array.of(kind), bytes.subarray(0, length - 1)];
  return [bytes.subarray(taken - 1, taken - 1 + length)];
}
