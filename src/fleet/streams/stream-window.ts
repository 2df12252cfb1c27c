import {
  FLEET_STREAM_WINDOW_BYTES,
  MAX_FLEET_GROWN_BYTES,
  MAX_FLEET_STREAM_WINDOW_BYTES,
} from '../../contract/limits.js';

/** Bytes by which the windows of all streams to or from one machine may grow together. */
export class WindowRoom {
  #left = MAX_FLEET_GROWN_BYTES;

  /** Takes up to `wanted` bytes; returns how many there were. */
  take(wanted: number): number {
    const bytes = Math.min(wanted, this.#left);
    this.#left -= bytes;
    return bytes;
  }

  give(bytes: number): void {
    this.#left += bytes;
  }
}

/** The window of one stream: bytes that may be under way, within the room of its machine. */
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

  /** Gives back the room that the window has taken. */
  close(): void {
    this.resize(0);
  }
}

/**
 * The window that a stream needs: twice the bytes of one round trip. The distance is the shortest round trip so far,
 * because the queue of a slow line makes the others longer, and a larger window would only lengthen the queue.
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

  /** Forgets the distance, since the path may be different from now on. */
  forget(): void {
    this.#distanceMs = Number.POSITIVE_INFINITY;
  }

  /**
   * Notes the progress of the stream.
   *
   * @param position - bytes since the stream began
   */
  came(position: number, at: number): void {
    const elapsed = at - this.#began.at;
    if (elapsed < this.#distanceMs || elapsed <= 0) return;
    const inOneTrip = ((position - this.#began.position) * this.#distanceMs) / elapsed;
    this.#began = { at, position };
    if (inOneTrip > this.bytes / 2) this.bytes = Math.min(MAX_FLEET_STREAM_WINDOW_BYTES, this.bytes * 2);
    // Shrinks only far below, so that a pause between two bursts does not cost the second burst its window.
    else if (inOneTrip < this.bytes / 8) this.bytes = Math.max(FLEET_STREAM_WINDOW_BYTES, this.bytes / 2);
  }
}
