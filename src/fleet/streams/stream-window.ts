import {
  FLEET_STREAM_WINDOW_BYTES,
  MAX_FLEET_GROWN_BYTES,
  MAX_FLEET_STREAM_WINDOW_BYTES,
} from '../../contract/limits.js';

/** What the windows of all streams to or from one machine may have grown by together. */
export class WindowRoom {
  #left = MAX_FLEET_GROWN_BYTES;

  /** Returns how many of the wanted bytes there were. */
  take(wanted: number): number {
    const bytes = Math.min(wanted, this.#left);
    this.#left -= bytes;
    return bytes;
  }

  give(bytes: number): void {
    this.#left += bytes;
  }
}

/** The window of one stream: what may be on its way, within the room that its machine has. */
export class StreamWindow {
  readonly #room: WindowRoom;
  #grown = 0;

  constructor(room: WindowRoom) {
    this.#room = room;
  }

  /** In bytes: from FLEET_STREAM_WINDOW_BYTES to MAX_FLEET_STREAM_WINDOW_BYTES. */
  get bytes(): number {
    return FLEET_STREAM_WINDOW_BYTES + this.#grown;
  }

  /** Sets the window as near to `bytes` as the bounds and the room allow. */
  resize(bytes: number): void {
    const most = MAX_FLEET_STREAM_WINDOW_BYTES - FLEET_STREAM_WINDOW_BYTES;
    const wanted = Math.min(most, Math.max(0, bytes - FLEET_STREAM_WINDOW_BYTES));
    if (wanted > this.#grown) this.#grown += this.#room.take(wanted - this.#grown);
    else {
      this.#room.give(this.#grown - wanted);
      this.#grown = wanted;
    }
  }

  /** Gives all back that it has grown by. */
  close(): void {
    this.resize(0);
  }
}

/**
 * The window that a stream needs: twice what comes within one round trip. The distance is the shortest round trip that
 * was seen, because the queue of a slow line makes the others longer, and a larger window would only lengthen the queue.
 * Pure: the times, in milliseconds, are the caller's.
 */
export class WindowDemand {
  #distanceMs = Number.POSITIVE_INFINITY;
  #began = { at: 0, position: 0 };
  /** In bytes. */
  bytes = FLEET_STREAM_WINDOW_BYTES;

  /** Notes a round trip. */
  tripped(ms: number): void {
    this.#distanceMs = Math.min(this.#distanceMs, ms);
  }

  /** The way may be another one from now on. */
  forget(): void {
    this.#distanceMs = Number.POSITIVE_INFINITY;
  }

  /**
   * Notes what has come.
   *
   * @param position - bytes since the stream began
   */
  came(position: number, at: number): void {
    const elapsed = at - this.#began.at;
    if (elapsed < this.#distanceMs || elapsed <= 0) return;
    const inOneTrip = ((position - this.#began.position) * this.#distanceMs) / elapsed;
    this.#began = { at, position };
    if (inOneTrip > this.bytes / 2) this.bytes = Math.min(MAX_FLEET_STREAM_WINDOW_BYTES, this.bytes * 2);
    // Much less, so that a pause between two bursts does not cost the second its window.
    else if (inOneTrip < this.bytes / 8) this.bytes = Math.max(FLEET_STREAM_WINDOW_BYTES, this.bytes / 2);
  }
}
