import { fitsFrame, fitsMessage, isDrained, type QueueBounds } from './resync-policy.js';
import type { SharedFrame } from './shared-frame.js';

/** Writes one message to a client, a text or a whole frame. Calls `done` once the message has left the process. */
type Send = (message: Buffer | string, done: () => void) => void;

export interface ClientQueueOptions extends QueueBounds {
  send: Send;
  onDrained: () => void;
  /** Called when not even a reply fits, so that the client must be disconnected. */
  onOverflow: () => void;
}

/** Messages that wait to be written to one WebSocket client, bounded in bytes of memory. */
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

  /** Bytes of memory that wait for the client. */
  get queued(): number {
    return this.#queued;
  }

  /** Number of messages taken in so far. */
  get messages(): number {
    return this.#messages;
  }

  /** Bytes of messages that have left so far; two equal readings mean that the client takes nothing. */
  get sent(): number {
    return this.#sent;
  }

  /** Queues an output frame; if it does not fit, drops it and returns false. */
  offer(frame: SharedFrame): boolean {
    const { bytes } = frame;
    const { length } = bytes;
    if (!fitsFrame(this.#queued, this.#memoryOf(length), this.#options)) {
      this.#refused = true;
      return false;
    }
    frame.retain();
    this.#take(length);
    this.#options.send(bytes, () => {
      frame.release();
      this.#left(length);
    });
    return true;
  }

  /** Queues a message that must not be dropped: a reply or a lifecycle event. */
  push(message: string): void {
    const length = Buffer.byteLength(message);
    if (!this.#hasRoom(length)) {
      this.#options.onOverflow();
      return;
    }
    this.#take(length);
    this.#options.send(message, () => this.#left(length));
  }

  /** Counts a message that is pushed later, so that deferred messages are bounded, too. */
  hold(message: string): void {
    const length = Buffer.byteLength(message);
    if (!this.#hasRoom(length)) this.#options.onOverflow();
    this.#held += this.#memoryOf(length);
  }

  /** Stops counting a held message, which is then pushed at once or never. */
  release(message: string): void {
    this.#held -= this.#memoryOf(Buffer.byteLength(message));
  }

  /** Bytes of memory that a waiting message of `length` bytes takes. */
  #memoryOf(length: number): number {
    return length + this.#options.messageBytes;
  }

  #hasRoom(length: number): boolean {
    return fitsMessage(this.#queued + this.#held, this.#memoryOf(length), this.#options);
  }

  #take(length: number): void {
    this.#queued += this.#memoryOf(length);
    this.#messages++;
  }

  #left(length: number): void {
    this.#queued -= this.#memoryOf(length);
    this.#sent += length;
    if (this.#refused && isDrained(this.#queued, this.#options)) {
      this.#refused = false;
      this.#options.onDrained();
    }
  }
}
