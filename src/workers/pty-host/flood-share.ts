import { availableParallelism } from 'node:os';

/** A read shorter than this has emptied the PTY, or nearly: what is left can wait for the next loop turn. */
export const FULL_READ_BYTES = 2048;

/** PTYs in flood at once read so much in a turn, at least: less would cost a turn of the loop for little. */
const MIN_SHARE_BYTES = 16 * 1024;

/**
 * A PTY is in flood once it has given this much more than a program that draws its screen ten times a second: two
 * hundred of those must not wait for each other. ...
 */
const BURST_BYTES = 32 * 1024;
const CALM_BYTES_PER_MS = 128;
/** ... Of more than this nothing is known, so that it is calm again soon; ... */
const MOST_EXCESS_BYTES = 2 * BURST_BYTES;
/** ... and it is in flood no more when it was not found full for so long, though it was read. */
const FLOOD_MS = 500;

/**
 * What PTYs in flood at once may give in all, in bytes a millisecond: two thirds of what one can give. Then their
 * programs wait at times, as for a slow terminal, and leave the processors to whom somebody waits for: on a kernel that
 * shares these by session, twenty of them would leave a twentieth to the service.
 */
const FLOODS_BYTES_PER_MS = 40_000;
const FEW_FLOODS = 4;

/** Where they are many, this much for each processor, ... */
const MANY_BYTES_PER_MS = 10_000;
/**
 * ... as long as it takes no more than this share of the time to read it, for each processor: where others want these,
 * it takes longer, and floods make way. ...
 */
const MANY_TIME_SHARE = 0.025;
/** ... But never less than this. */
const LEAST_BYTES_PER_MS = 4_000;

/** What a PTY has given of late. */
interface Flow {
  /** When it is forgotten unless it is found full before. */
  until: number;
  /** Bytes more than a calm one gives, as of `at`. */
  excess: number;
  at: number;
}

export interface FloodShareOptions {
  /** The most that is read in one turn of the loop. */
  turnBytes: number;
  /** Of this machine unless given. */
  processors?: number;
  /** Milliseconds of a clock that never goes back. */
  now?: () => number;
}

/**
 * How PTYs in flood at once share what the host reads: each gives its part of a turn of the loop, and rests after it
 * for as long as all of them together may take for as much.
 */
export class FloodShare<Pty> {
  readonly #turnBytes: number;
  readonly #now: () => number;
  /** Of many: bytes a millisecond, and share of the time. */
  readonly #most: number;
  readonly #timeShare: number;
  /** PTYs that were found full of late; the one found so longest ago first. */
  readonly #flows = new Map<Pty, Flow>();
  /** How many of them are in flood. */
  #floods = 0;
  #turnBegan = 0;

  constructor({ turnBytes, processors, now }: FloodShareOptions) {
    this.#turnBytes = turnBytes;
    this.#now = now ?? (() => performance.now());
    const count = processors ?? availableParallelism();
    this.#most = Math.min(FLOODS_BYTES_PER_MS, MANY_BYTES_PER_MS * count);
    this.#timeShare = Math.min(1, MANY_TIME_SHARE * count);
  }

  /** How many bytes a PTY may give in the turn that begins, of which a first read has given `count` already. */
  limit(pty: Pty, count: number): number {
    const flow = this.#remove(pty);
    if (count < FULL_READ_BYTES) return count;
    const now = this.#now();
    this.#turnBegan = now;
    this.#forget(now);
    const { excess, at } = flow ?? { excess: 0, at: now };
    const left = Math.max(0, excess - Math.max(0, now - at) * CALM_BYTES_PER_MS);
    this.#add(pty, { until: now + FLOOD_MS, excess: left, at: now });
    const sharers = left > BURST_BYTES ? this.#floods : this.#floods + 1;
    return Math.max(MIN_SHARE_BYTES, Math.floor(this.#turnBytes / sharers));
  }

  /**
   * Milliseconds for which a PTY rests that has given `bytes` in the turn that ends: none for one that is alone in
   * flood.
   */
  rest(pty: Pty, bytes: number): number {
    const flow = this.#flows.get(pty);
    if (!flow) return 0;
    if (flow.excess <= BURST_BYTES && flow.excess + bytes > BURST_BYTES) this.#floods++;
    flow.excess = Math.min(flow.excess + bytes, MOST_EXCESS_BYTES);
    const floods = this.#floods;
    if (flow.excess <= BURST_BYTES || floods === 1) return 0;
    const rest = floods * (floods <= FEW_FLOODS ? bytes / FLOODS_BYTES_PER_MS : this.#timeAmongMany(bytes));
    // It counts while it rests, which makes nobody calm: of more than a thousand each rests for longer than it would count.
    flow.until += rest;
    flow.at += rest;
    return rest;
  }

  /** A PTY that is gone has no share. */
  leave(pty: Pty): void {
    this.#remove(pty);
  }

  /** Milliseconds in which many floods may give `bytes`, which were read since the turn began. */
  #timeAmongMany(bytes: number): number {
    const took = this.#now() - this.#turnBegan;
    return Math.min(bytes / LEAST_BYTES_PER_MS, Math.max(bytes / this.#most, took / this.#timeShare));
  }

  #add(pty: Pty, flow: Flow): void {
    this.#flows.set(pty, flow);
    if (flow.excess > BURST_BYTES) this.#floods++;
  }

  #remove(pty: Pty): Flow | undefined {
    const flow = this.#flows.get(pty);
    if (!flow) return undefined;
    this.#flows.delete(pty);
    if (flow.excess > BURST_BYTES) this.#floods--;
    return flow;
  }

  #forget(now: number): void {
    for (const [pty, { until }] of this.#flows) {
      if (now < until) break;
      this.#remove(pty);
    }
  }
}
