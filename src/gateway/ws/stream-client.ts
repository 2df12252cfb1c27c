import type { FrameVariant } from '../../workers/shard/protocol.js';
import type { ClientQueue } from './client-queue.js';
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

/** A terminal whose output this client has missed. */
interface Missed {
  /** Its screen has been requested; frames before the screen are dropped. */
  resyncing: boolean;
  /** Events to send after the missed output. */
  deferred: Array<{ message: string; replaces: string | undefined }>;
}

/** Screens that are requested for a client at once: more would only crowd its queue. */
const MAX_RESYNCS = 4;

/** A WebSocket client as the fan-out sees it: its subscription, and the output that it has missed. */
export class StreamClient {
  readonly subscription: Subscription;
  readonly queue: ClientQueue;
  /** False until every shard follows an interest that includes the client: it gets no earlier output or events. */
  live = false;
  /** Frames that were dropped, and screens sent in their place. */
  readonly counters = { dropped: 0, resyncs: 0 };
  readonly #missed = new Map<string, Missed>();

  constructor(subscription: Subscription, queue: ClientQueue) {
    this.subscription = subscription;
    this.queue = queue;
  }

  /** Sends a frame of output, unless the client is owed the screen first. */
  output(id: string, frame: FrameVariants): void {
    if (!this.live) return;
    const shared = frame[this.subscription.variant];
    if (!shared) return;
    const isOwed = this.#missed.size > 0 && this.#missed.has(id);
    if (!isOwed && this.queue.offer(shared)) return;
    this.counters.dropped++;
    if (!isOwed) this.#missed.set(id, { resyncing: false, deferred: [] });
  }

  /** Sends the screen that the client is owed, and returns whether it could; output continues from that screen. */
  resync(id: string, frame: FrameVariants): boolean {
    const missed = this.#missed.get(id);
    const shared = frame[this.subscription.variant];
    if (!missed?.resyncing || !shared) return false;
    if (!this.queue.offer(shared)) {
      missed.resyncing = false;
      return false;
    }
    this.counters.resyncs++;
    this.#settle(id);
    return true;
  }

  /** The request for the screen failed; the client is still owed it. */
  resyncFailed(id: string): void {
    const missed = this.#missed.get(id);
    if (missed) missed.resyncing = false;
  }

  /**
   * Sends an event in its place after the terminal's output.
   *
   * @param replaces - a kind of event of which each includes all that earlier events said, so that only the last
   * waiting event is kept
   */
  event(id: string, message: string, replaces?: string): void {
    if (!this.live) return;
    const missed = this.#missed.get(id);
    if (!missed) {
      this.queue.push(message);
      return;
    }
    if (replaces !== undefined) {
      for (const { message: replaced } of missed.deferred.filter((earlier) => earlier.replaces === replaces))
        this.queue.release(replaced);
      missed.deferred = missed.deferred.filter((earlier) => earlier.replaces !== replaces);
    }
    this.queue.hold(message);
    missed.deferred.push({ message, replaces });
  }

  /** The stream broke, so the client gets the screen before any further output. */
  interrupt(id: string): void {
    if (!this.live) return;
    const missed = this.#missed.get(id);
    if (missed) missed.resyncing = true;
    else this.#missed.set(id, { resyncing: true, deferred: [] });
  }

  /** The terminal is gone, so the client is no longer owed its screen. */
  forget(id: string): void {
    if (this.#missed.has(id)) this.#settle(id);
  }

  /** Returns the terminals whose screens to request because there is room again; marks them as requested. */
  takeOwed(): string[] {
    let free = MAX_RESYNCS - [...this.#missed.values()].filter(({ resyncing }) => resyncing).length;
    const owed: string[] = [];
    for (const [id, missed] of this.#missed) {
      if (free <= 0) break;
      if (missed.resyncing) continue;
      missed.resyncing = true;
      owed.push(id);
      free--;
    }
    return owed;
  }

  #settle(id: string): void {
    const deferred = this.#missed.get(id)?.deferred ?? [];
    this.#missed.delete(id);
    for (const { message } of deferred) {
      this.queue.release(message);
      this.queue.push(message);
    }
  }
}
