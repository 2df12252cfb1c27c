import type { FrameVariant } from '../../workers/shard/protocol.js';
import type { ClientQueue } from './client-queue.js';
import type { SharedFrame } from './shared-frame.js';

/** What a client asked for at its upgrade. */
export interface Subscription {
  /** Ids, or undefined for every terminal. */
  terminals: ReadonlySet<string> | undefined;
  variant: FrameVariant;
  lifecycle: boolean;
}

/** An output event in the variants that are watched; the same memory for each client. */
export type Frame = Partial<Record<FrameVariant, SharedFrame>>;

/** A terminal whose output this client has missed. */
interface Missed {
  /** Its screen has been asked for; frames before it are dropped. */
  resyncing: boolean;
  /** Events that come after the output that was missed. */
  deferred: Array<{ message: string; replaces: string | undefined }>;
}

/** Screens that a client is owed at once: more would only crowd its queue. */
const MAX_RESYNCS = 4;

/** One WebSocket client as the fan-out sees it: what it wants, and what it has missed. */
export class StreamClient {
  readonly subscription: Subscription;
  readonly queue: ClientQueue;
  /** Number of the interest that this client was first part of. */
  joined = 0;
  /** False until it has been welcomed: what happens before is not its concern. */
  live = false;
  /** Frames that were dropped, and screens sent in their place. */
  readonly counters = { dropped: 0, resyncs: 0 };
  readonly #missed = new Map<string, Missed>();

  constructor(subscription: Subscription, queue: ClientQueue) {
    this.subscription = subscription;
    this.queue = queue;
  }

  /** Sends a frame of output, unless the client is owed the screen first. */
  output(id: string, frame: Frame): void {
    if (!this.live) return;
    const shared = frame[this.subscription.variant];
    if (!shared) return;
    const isOwed = this.#missed.size > 0 && this.#missed.has(id);
    if (!isOwed && this.queue.offer(shared)) return;
    this.counters.dropped++;
    if (!isOwed) this.#missed.set(id, { resyncing: false, deferred: [] });
  }

  /** Sends the screen that the client is owed, and answers whether it could; its output goes on from there. */
  resync(id: string, frame: Frame): boolean {
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

  /** The screen could not be had; it is still owed. */
  resyncFailed(id: string): void {
    const missed = this.#missed.get(id);
    if (missed) missed.resyncing = false;
  }

  /**
   * Sends an event in its place after the terminal's output.
   *
   * @param replaces - a kind of events each of which says all that earlier ones said; while it waits, only the last
   *   of them is kept
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

  /** The stream broke: whatever comes next is preceded by the screen. */
  interrupt(id: string): void {
    if (!this.live) return;
    const missed = this.#missed.get(id);
    if (missed) missed.resyncing = true;
    else this.#missed.set(id, { resyncing: true, deferred: [] });
  }

  /** The terminal is gone, and with it the screen that was owed. */
  forget(id: string): void {
    if (this.#missed.has(id)) this.#settle(id);
  }

  /** Terminals whose screen to ask for now that there is room; they count as asked for. */
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
