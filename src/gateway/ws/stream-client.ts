import { randomBytes } from 'node:crypto';
import type { FrameVariant } from '../../workers/shard/protocol.js';
import type { ClientQueue } from './client-queue.js';
import { MissedOutput } from './resync-policy.js';
import type { FrameVariants } from './shared-frame.js';
import { WatchSet } from './watch-set.js';

/** The subscription that a client requested at its upgrade. */
export interface Subscription {
  /** Ids of the terminals that are watched first, or undefined for every terminal. */
  terminals: ReadonlySet<string> | undefined;
  /** The form of its output; undefined for a client that takes no output. */
  variant: FrameVariant | undefined;
  lifecycle: boolean;
  /** Whether it takes every event of the service, of all terminals; includes `lifecycle`. */
  everything: boolean;
  /** Whether it follows how much terminals print. */
  activity: boolean;
  /** Whether each terminal begins with its screen. */
  snapshot: boolean;
  /** Whether it may watch screens. */
  screens: boolean;
  /** Returns whether the client may know of a terminal; absent if it may know of all. */
  sees?: ((id: string) => boolean) | undefined;
}

/** A WebSocket client as the fan-out sees it: its subscription, and the output that it has missed. */
export class StreamClient {
  /** Names the client to others, for as long as it is connected. */
  readonly id = `client_${randomBytes(6).toString('hex')}`;
  readonly subscription: Subscription;
  readonly queue: ClientQueue;
  /** Whether every shard posts what the client watches. Until then the client gets neither output nor events. */
  live = false;
  /** Frames that were dropped, and screens sent in their place. */
  readonly counters = { dropped: 0, resyncs: 0 };
  /** The terminals that it watches at present. */
  readonly watched: WatchSet;
  readonly #missed = new MissedOutput();
  /** Terminals of other machines that it watched until their output ended. */
  readonly #ended = new Set<string>();

  constructor(subscription: Subscription, queue: ClientQueue) {
    this.subscription = subscription;
    this.watched = new WatchSet(subscription.terminals);
    this.queue = queue;
  }

  /** Whether the client may know of a terminal at present. */
  sees(id: string): boolean {
    return this.subscription.sees?.(id) ?? true;
  }

  /** Whether any terminal may begin with its screen. */
  get hasBeginnings(): boolean {
    return this.subscription.snapshot || this.#ended.size > 0;
  }

  /**
   * Returns whether a terminal begins with its screen. One that the client watches again always does: it has printed
   * meanwhile.
   */
  beginsWithScreen(id: string): boolean {
    return this.#ended.delete(id) || this.subscription.snapshot;
  }

  /** Notes that the output of a terminal has ended: the client gets nothing more of it until it watches it anew. */
  end(id: string): void {
    this.watched.drop(id);
    this.#ended.add(id);
  }

  /** Sends a frame of output, unless the client is owed the screen first: also of a terminal that it does not see yet. */
  output(id: string, frame: FrameVariants): void {
    if (!this.#follows(id)) return;
    const { variant } = this.subscription;
    // Only screens carry a size.
    const shared = variant && frame[variant === 'sized' ? 'seq' : variant];
    if (!shared) return;
    if (!this.sees(id)) {
      this.#missed.drop(id);
      return;
    }
    const isOwed = this.#missed.has(id);
    if (!isOwed && this.queue.offer(shared)) return;
    if (this.#missed.isBeginning(id)) return;
    this.counters.dropped++;
    this.#missed.drop(id);
  }

  /**
   * Owes the client the screen from which its output begins. Returns false if it does not watch the output, or may not see
   * the terminal at present.
   */
  begin(id: string): boolean {
    if (!this.subscription.variant || !this.watched.has(id) || !this.#follows(id)) return false;
    this.#missed.begin(id);
    return this.sees(id);
  }

  /**
   * Replaces the terminals that it watches. The screens of the other terminals do not come any more: events that wait for
   * them are sent now if the client gets events of that terminal without watching it, and dropped otherwise. Returns the
   * number of the replacement, as of {@link WatchSet.replace}.
   */
  rewatch(terminals: Iterable<string> | undefined, isAttached: (id: string) => boolean): number {
    const number = this.watched.replace(terminals);
    for (const id of this.#missed.ids()) {
      if (this.watched.has(id)) continue;
      if (this.subscription.everything || isAttached(id)) this.#settle(id);
      else for (const message of this.#missed.settle(id)) this.queue.release(message);
    }
    return number;
  }

  /**
   * Sends the screen that the client is owed; output continues from that screen. Returns whether another screen may be
   * requested in its place: not while the client has no room.
   */
  resync(id: string, frame: FrameVariants): boolean {
    const { variant } = this.subscription;
    const shared = variant && frame[variant];
    if (!shared || !this.#missed.isRequested(id)) return false;
    if (!this.sees(id)) {
      this.#missed.postpone(id);
      return true;
    }
    if (!this.queue.offer(shared)) {
      this.#missed.postpone(id);
      return false;
    }
    if (!this.#missed.isBeginning(id)) this.counters.resyncs++;
    this.#settle(id);
    return true;
  }

  /** Notes that the request for the screen failed; the client is still owed it. */
  resyncFailed(id: string): void {
    this.#missed.postpone(id);
  }

  /**
   * Sends an event in its place after the terminal's output.
   *
   * @param replaces - a kind of event: each event includes everything in earlier events of the kind, so only the last
   * waiting event is kept
   */
  event(id: string, message: string, replaces?: string): void {
    if (!this.live || !this.sees(id)) return;
    const replaced = this.#missed.defer(id, { message, replaces });
    if (!replaced) {
      this.queue.push(message);
      return;
    }
    for (const earlier of replaced) this.queue.release(earlier);
    this.queue.hold(message);
  }

  /**
   * Notes that the stream broke, so that the client gets the screen before any further output. Returns false if it needs
   * none.
   */
  interrupt(id: string): boolean {
    if (!this.subscription.variant || !this.watched.has(id)) return false;
    if (!this.isLive(id)) {
      // The shard reports a break once, and other shards may not have confirmed yet what the client watches.
      this.#missed.drop(id);
      return false;
    }
    this.#missed.interrupt(id);
    return true;
  }

  /**
   * Notes that the terminal is gone, so that the client is no longer owed its screen. Returns whether the screen had been
   * requested, so that another one may be.
   */
  forget(id: string): boolean {
    const wasRequested = this.#missed.isRequested(id);
    if (this.#missed.has(id)) this.#settle(id);
    return wasRequested;
  }

  /** Returns the terminals whose screens to request because there is room again; marks them as requested. */
  takeOwed(): string[] {
    return this.#missed.takeOwed((id) => this.sees(id));
  }

  /** Whether it gets what a terminal prints. */
  isLive(id: string): boolean {
    return this.#follows(id) && this.sees(id);
  }

  #follows(id: string): boolean {
    return this.live && this.watched.isLive(id);
  }

  #settle(id: string): void {
    for (const message of this.#missed.settle(id)) {
      this.queue.release(message);
      this.queue.push(message);
    }
  }
}
