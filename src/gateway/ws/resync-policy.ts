/**
 * When frames of output are dropped for a slow client, and when it gets a screen in their place. Nothing here sends or
 * waits: client-queue.ts and stream-client.ts do as these functions say.
 *
 * A frame that does not fit into the client's queue is dropped, and with it every later frame of that terminal. Once the
 * queue has drained, the screens of such terminals are requested, a few at a time. The screen comes at its place in the
 * stream, and frames continue exactly from there. Events of a terminal that wait for its screen come after it. A client
 * that begins with the screens of its terminals is owed them in the same way.
 */

/** Bounds on what waits for a client, in bytes. */
export interface QueueBounds {
  maxBytes: number;
  /** Part of `maxBytes` that output leaves free for replies and lifecycle events. */
  reservedBytes: number;
  /** At this many bytes the queue counts as drained. */
  drainedBytes: number;
  /** Counted for each message beside its bytes: many small messages take more memory than their bytes. */
  messageBytes: number;
}

/**
 * Returns whether a frame of `size` bytes is queued behind `queued` bytes; otherwise it is dropped. A frame larger than
 * the bound fits into an empty queue, since it would fit nowhere else.
 */
export function fitsFrame(queued: number, size: number, { maxBytes, reservedBytes }: QueueBounds): boolean {
  return queued === 0 || queued + size <= maxBytes - reservedBytes;
}

/** Returns whether a reply or an event of `size` bytes is queued; otherwise the client is disconnected. */
export function fitsMessage(waiting: number, size: number, { maxBytes }: QueueBounds): boolean {
  return waiting + size <= maxBytes;
}

/** Returns whether screens are requested in place of the frames that were dropped. */
export function isDrained(queued: number, { drainedBytes }: QueueBounds): boolean {
  return queued <= drainedBytes;
}

/** Maximum number of screens requested for a client at once: more would only crowd its queue. */
const MAX_RESYNCS = 4;

/** An event that is sent after the screen. */
export interface DeferredEvent {
  message: string;
  /** Kind of the event, if each event of this kind includes everything that earlier ones reported. */
  replaces: string | undefined;
}

/** A terminal whose output a client has missed. */
interface Missed {
  /** Whether its screen has been requested; frames before the screen are dropped. */
  isRequested: boolean;
  /** Whether the client begins with the terminal's screen: it has had nothing of the terminal yet, so nothing was lost. */
  isBeginning: boolean;
  deferred: DeferredEvent[];
}

function newMissed(): Missed {
  return { isRequested: false, isBeginning: false, deferred: [] };
}

/** The terminals whose output a client has missed. For each it is owed a screen, and then the events that wait. */
export class MissedOutput {
  readonly #missed = new Map<string, Missed>();

  /** Returns whether frames of the terminal are dropped until its screen has come. */
  has(id: string): boolean {
    return this.#missed.size > 0 && this.#missed.has(id);
  }

  /** Notes a frame that was dropped. */
  drop(id: string): void {
    if (!this.#missed.has(id)) this.#missed.set(id, newMissed());
  }

  /** Notes that the client begins with the terminal's screen. */
  begin(id: string): void {
    if (!this.#missed.has(id)) this.#missed.set(id, { ...newMissed(), isBeginning: true });
  }

  isBeginning(id: string): boolean {
    return this.#missed.get(id)?.isBeginning ?? false;
  }

  /** Returns the terminals whose screen the client is owed. */
  ids(): string[] {
    return [...this.#missed.keys()];
  }

  /** Notes that output may be missing, and that the screen is requested at once. */
  interrupt(id: string): void {
    const missed = this.#missed.get(id);
    if (missed) missed.isRequested = true;
    else this.#missed.set(id, { ...newMissed(), isRequested: true });
  }

  /** Returns whether a screen that comes now is meant for the client. */
  isRequested(id: string): boolean {
    return this.#missed.get(id)?.isRequested ?? false;
  }

  /** Notes that a screen did not come, or did not fit: it will be requested again. */
  postpone(id: string): void {
    const missed = this.#missed.get(id);
    if (missed) missed.isRequested = false;
  }

  /**
   * Returns the terminals whose screens to request because there is room again; marks them as requested.
   *
   * @param isWanted - whether a terminal's screen would be sent at present
   */
  takeOwed(isWanted: (id: string) => boolean = () => true): string[] {
    let free = MAX_RESYNCS - [...this.#missed.values()].filter(({ isRequested }) => isRequested).length;
    const owed: string[] = [];
    for (const [id, missed] of this.#missed) {
      if (free <= 0) break;
      if (missed.isRequested || !isWanted(id)) continue;
      missed.isRequested = true;
      owed.push(id);
      free--;
    }
    return owed;
  }

  /** Keeps an event until {@link settle}. Returns the messages that it replaces; undefined if it is not to be kept. */
  defer(id: string, event: DeferredEvent): string[] | undefined {
    const missed = this.#missed.get(id);
    if (!missed) return undefined;
    const isReplaced = ({ replaces }: DeferredEvent) => replaces !== undefined && replaces === event.replaces;
    const replaced = missed.deferred.filter(isReplaced);
    missed.deferred = [...missed.deferred.filter((earlier) => !isReplaced(earlier)), event];
    return replaced.map(({ message }) => message);
  }

  /** Forgets what was missed of a terminal; returns the events to send now. */
  settle(id: string): string[] {
    const deferred = this.#missed.get(id)?.deferred ?? [];
    this.#missed.delete(id);
    return deferred.map(({ message }) => message);
  }
}
