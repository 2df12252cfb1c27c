/** A read shorter than this has emptied the PTY, or nearly: what is left can wait for the next loop turn. */
export const FULL_READ_BYTES = 2048;

/** PTYs in flood at once read so much in a turn, at least: less would cost a turn of the loop for little. */
const MIN_SHARE_BYTES = 16 * 1024;

/**
 * What PTYs in flood at once may give in all, in bytes a millisecond: two thirds of what one can give, and one third
 * where they are many. Then their programs wait at times, as for a slow terminal, and leave the processors to whom
 * somebody waits for: on a kernel that shares these by session, twenty of them would leave a twentieth to the service.
 */
const FLOODS_BYTES_PER_MS = { few: 40_000, many: 20_000 };
const FEW_FLOODS = 4;

/** One that was not found full for so long, though it was read, is in flood no more. */
const FLOOD_MS = 500;

/**
 * How PTYs in flood at once share what the host reads: each gives its part of a turn of the loop, and rests after it
 * for as long as all of them together may take for as much.
 */
export class FloodShare<Pty> {
  readonly #turnBytes: number;
  readonly #now: () => number;
  /** PTYs in flood, and until when each counts as such; the one found full longest ago first. */
  readonly #floods = new Map<Pty, number>();

  /**
   * @param turnBytes - the most that is read in one turn of the loop
   * @param now - milliseconds of a clock that never goes back
   */
  constructor(turnBytes: number, now: () => number = () => performance.now()) {
    this.#turnBytes = turnBytes;
    this.#now = now;
  }

  /** How many bytes a PTY may give in this turn, of which a first read has given `count` already. */
  limit(pty: Pty, count: number): number {
    this.#floods.delete(pty);
    if (count < FULL_READ_BYTES) return count;
    const now = this.#now();
    this.#floods.set(pty, now + FLOOD_MS);
    this.#forget(now);
    return Math.max(MIN_SHARE_BYTES, Math.floor(this.#turnBytes / this.#floods.size));
  }

  /** Milliseconds for which a PTY rests that has given `bytes` in this turn: none for one that is alone in flood. */
  rest(pty: Pty, bytes: number): number {
    const floods = this.#floods.size;
    const until = this.#floods.get(pty);
    if (until === undefined || floods === 1) return 0;
    const { few, many } = FLOODS_BYTES_PER_MS;
    const rest = (bytes * floods) / (floods <= FEW_FLOODS ? few : many);
    // It counts while it rests: of more than a thousand each rests for longer than it would count.
    this.#floods.set(pty, until + rest);
    return rest;
  }

  /** A PTY that is gone has no share. */
  leave(pty: Pty): void {
    this.#floods.delete(pty);
  }

  #forget(now: number): void {
    for (const [pty, until] of this.#floods) {
      if (now < until) break;
      this.#floods.delete(pty);
    }
  }
}
