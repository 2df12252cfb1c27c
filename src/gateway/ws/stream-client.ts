import type { FrameVariant } from '../../workers/shard/protocol.js';
import type { ClientQueue } from './client-queue.js';
import { MissedOutput } from './resync-policy.js';
import type { SharedFrame } from './shared-frame.js';

/** The subscription that a client requested at its upgrade. */
export interface Subscription {
  /** Ids, or undefined for every terminal. */
  terminals: ReadonlySet<string> | undefined;
  variant: FrameVariant;
  lifecycle: boolean;
}

/** An output event in the variants that are watched; all clients share its memory. */
export type FrameVariants = Partial<Record<FrameVariant, SharedFrame>>;

/** A WebSocket client as the fan-out sees it: its subscription, and the output that it has missed. */
export class StreamClient {
  readonly subscription: Subscription;
  readonly queue: ClientQueue;
  /** False until every shard follows an interest that includes the client: it gets no earlier output or events. */
  live = false;
  /** Frames that were dropped, and screens sent in their place. */
  readonly counters = { dropped: 0, resyncs: 0 };
  readonly #missed = new MissedOutput();

  constructor(subscription: Subscription, queue: ClientQueue) {
    this.subscription = subscription;
    this.queue = queue;
  }

  /** Sends a frame of output, unless the client is owed the screen first. */
  output(id: string, frame: FrameVariants): void {
    if (!this.live) return;
    const shared = frame[this.subscription.variant];
    if (!shared) return;
    const isOwed = this.#missed.has(id);
    if (!isOwed && this.queue.offer(shared)) return;
    this.counters.dropped++;
    this.#missed.drop(id);
  }

  /** Sends the screen that the client is owed, and returns whether it could; output continues from that screen. */
  resync(id: string, frame: FrameVariants): boolean {
    const shared = frame[this.subscription.variant];
    if (!shared || !this.#missed.isRequested(id)) return false;
    if (!this.queue.offer(shared)) {
      this.#missed.postpone(id);
      return false;
    }
    this.counters.resyncs++;
    this.#settle(id);
    return true;
  }

  /** The request for the screen failed; the client is still owed it. */
  resyncFailed(id: string): void {
    this.#missed.postpone(id);
  }

  /**
   * Sends an event in its place after the terminal's output.
   *
   * @param replaces - a kind of event of which each includes all that earlier events said, so that only the last
   * waiting event is kept
   */
  event(id: string, message: string, replaces?: string): void {
    if (!this.live) return;
    const replaced = this.#missed.defer(id, { message, replaces });
    if (!replaced) {
      this.queue.push(message);
      return;
    }
    for (const earlier of replaced) this.queue.release(earlier);
    this.queue.hold(message);
  }

  /** The stream broke, so the client gets the screen before any further output. */
  interrupt(id: string): void {
    if (this.live) this.#missed.interrupt(id);
  }

  /** The terminal is gone, so the client is no longer owed its screen. */
  forget(id: string): void {
    if (this.#missed.has(id)) this.#settle(id);
  }

  /** Returns the terminals whose screens to request because there is room again; marks them as requested. */
  takeOwed(): string[] {
    return this.#missed.takeOwed();
  }

  #settle(id: string): void {
    for (const message of this.#missed.settle(id)) {
      this.queue.release(message);
      this.queue.push(message);
    }
  }
}
