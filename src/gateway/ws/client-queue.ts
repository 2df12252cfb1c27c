import type { SharedFrame } from './shared-frame.js';

/**
 * Writes one message to a client, text or a whole frame. Where it has left the process already the answer is true;
 * else `done` is called once it has.
 */
type Send = (message: Buffer | string, done: () => void) => boolean;

export interface ClientQueueOptions {
  send: Send;
  /** Bytes that may wait for the client. */
  maxBytes: number;
  /** Part of `maxBytes` that output leaves free for replies and lifecycle events. */
  reservedBytes: number;
  /** The queue counts as drained at this many bytes. */
  drainedBytes: number;
  onDrained: () => void;
  /** Not even replies fit any more: the client must go. */
  onOverflow: () => void;
}

/** What waits to be written to one WebSocket client, bounded in bytes. */
export class ClientQueue {
  readonly #options: ClientQueueOptions;
  #queued = 0;
  #held = 0;
  #sent = 0;
  #messages = 0;
  #refused = false;

  constructor(options: ClientQueueOptions) {
    this.#options = options;
  }

  /** Bytes that wait for the client. */
  get queued(): number {
    return this.#queued;
  }

  /** Messages taken in so far. */
  get messages(): number {
    return this.#messages;
  }

  /** Bytes that have left so far: two equal readings mean a client that takes nothing. */
  get sent(): number {
    return this.#sent;
  }

  /**
   * Queues an output frame, or drops it and returns false where it does not fit. A frame larger than the bound
   * fits into an empty queue, since it would fit nowhere else.
   */
  offer(frame: SharedFrame): boolean {
    const { bytes } = frame;
    const size = bytes.length;
    const limit = this.#options.maxBytes - this.#options.reservedBytes;
    if (this.#queued > 0 && this.#queued + size > limit) {
      this.#refused = true;
      return false;
    }
    frame.retain();
    this.#take(size);
    const left = () => {
      frame.release();
      this.#left(size);
    };
    if (this.#options.send(bytes, left)) left();
    return true;
  }

  /** Queues what must not be dropped: a reply or a lifecycle event. */
  push(message: string): void {
    const size = Buffer.byteLength(message);
    if (!this.#hasRoom(size)) {
      this.#options.onOverflow();
      return;
    }
    this.#take(size);
    const left = () => this.#left(size);
    if (this.#options.send(message, left)) left();
  }

  /** Takes account of what is to be pushed later, so that it has a bound, too. */
  hold(message: string): void {
    const size = Buffer.byteLength(message);
    if (!this.#hasRoom(size)) this.#options.onOverflow();
    this.#held += size;
  }

  /** Takes it out of the account again: it is pushed now, or never. */
  release(message: string): void {
    this.#held -= Buffer.byteLength(message);
  }

  #hasRoom(size: number): boolean {
    return this.#queued + this.#held + size <= this.#options.maxBytes;
  }

  #take(size: number): void {
    this.#queued += size;
    this.#messages++;
  }

  #left(size: number): void {
    this.#queued -= size;
    this.#sent += size;
    if (this.#refused && this.#queued <= this.#options.drainedBytes) {
      this.#refused = false;
      this.#options.onDrained();
    }
  }
}
