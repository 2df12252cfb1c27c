import { fitsFrame, fitsMessage, isDrained, type QueueBounds } from './resync-policy.js';
import type { SharedFrame } from './shared-frame.js';

/**
 * Writes one message to a client, a text or a whole frame. Returns true if the message has left the process already;
 * otherwise calls `done` once it has.
 */
type Send = (message: Buffer | string, done: () => void) => boolean;

export interface ClientQueueOptions extends QueueBounds {
  send: Send;
  onDrained: () => void;
  /** Called when not even a reply fits, so that the client must be disconnected. */
  onOverflow: () => void;
}

/** Messages that wait to be written to one WebSocket client, bounded in bytes. */
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

  /** Number of messages taken in so far. */
  get messages(): number {
    return this.#messages;
  }

  /** Bytes that have left so far; two equal readings mean that the client takes nothing. */
  get sent(): number {
    return this.#sent;
  }

  /** Queues an output frame; if it does not fit, drops it and returns false. */
  offer(frame: SharedFrame): boolean {
    const { bytes } = frame;
    const size = bytes.length;
    if (!fitsFrame(this.#queued, size, this.#options)) {
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

  /** Queues a message that must not be dropped: a reply or a lifecycle event. */
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

  /** Counts a message that is pushed later, so that deferred messages are bounded, too. */
  hold(message: string): void {
    const size = Buffer.byteLength(message);
    if (!this.#hasRoom(size)) this.#options.onOverflow();
    this.#held += size;
  }

  /** Stops counting a held message, which is then pushed at once or never. */
  release(message: string): void {
    this.#held -= Buffer.byteLength(message);
  }

  #hasRoom(size: number): boolean {
    return fitsMessage(this.#queued + this.#held, size, this.#options);
  }

  #take(size: number): void {
    this.#queued += size;
    this.#messages++;
  }

  #left(size: number): void {
    this.#queued -= size;
    this.#sent += size;
    if (this.#refused && isDrained(this.#queued, this.#options)) {
      this.#refused = false;
      this.#options.onDrained();
    }
  }
}
