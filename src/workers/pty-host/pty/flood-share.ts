import { availableParallelism } from 'node:os';

/** A read shorter than this has emptied the PTY, or nearly: the remainder can wait for the next turn of the loop. */
export const FULL_READ_BYTES = 2048;

/** Least share of a PTY in flood in one turn: less would cost a turn of the event loop for little. */
const MIN_SHARE_BYTES = 16 * 1024;

/**
 * Excess beyond which a PTY is in flood. Excess is output beyond CALM_BYTES_PER_MS, the rate of a program that draws
 * its screen ten times a second: two hundred of these must not wait for each other.
 */
const BURST_BYTES = 32 * 1024;
const CALM_BYTES_PER_MS = 128;
/** More excess than this is not counted, so that a PTY is soon calm again. */
const MOST_EXCESS_BYTES = 2 * BURST_BYTES;
/** A PTY is not in flood any more when it was read for this long, idle time excluded, and never found full. */
const FLOOD_MS = 500;

/**
 * Bytes a millisecond that PTYs in flood may give in all: two thirds of what a single PTY can give. Flooding programs
 * then block now and then, as on a slow terminal, and leave the CPUs to programs that somebody waits for: on a kernel
 * that shares the CPUs by session, twenty floods would leave a twentieth to the service.
 */
const FLOODS_BYTES_PER_MS = 40_000;
const FEW_FLOODS = 4;

/** With more than FEW_FLOODS in flood: bytes a millisecond in all, for each CPU. */
const MANY_BYTES_PER_MS = 10_000;
/**
 * With more than FEW_FLOODS in flood: share of the time, for each CPU, that goes into reading them. Where other
 * programs want the CPUs, reading takes longer, and so the floods get less.
 */
const MANY_TIME_SHARE = 0.025;
/** With more than FEW_FLOODS in flood: bytes a millisecond that they may give in all in any case. */
const LEAST_BYTES_PER_MS = 4_000;

/** Recent output of a PTY. */
interface Flow {
  /** Time at which the flow is forgotten, unless the PTY is found full before. */
  until: number;
  /** Bytes beyond what a calm PTY gives, as of `at`. */
  excess: number;
  at: number;
}

export interface FloodShareOptions {
  /** Maximum bytes read in one turn of the event loop. */
  turnBytes: number;
  /** Number of CPUs; that of this machine if absent. */
  processors?: number;
  /** Returns the milliseconds of a clock that never goes back. */
  now?: () => number;
}

/**
 * Divides the host's reading between PTYs in flood: each gives its share in a turn of the event loop, and then stays
 * idle for as long as all of them together may take to give as much each.
 */
export class FloodShare<Pty> {
  readonly #turnBytes: number;
  readonly #now: () => number;
  /** Limits with more than FEW_FLOODS in flood: bytes a millisecond, and share of the time. */
  readonly #most: number;
  readonly #timeShare: number;
  /** PTYs that were found full of late; the least recently found first. */
  readonly #flows = new Map<Pty, Flow>();
  /** Number of these PTYs that are in flood. */
  #floods = 0;
  #turnBegan = 0;

  constructor({ turnBytes, processors, now }: FloodShareOptions) {
    this.#turnBytes = turnBytes;
    this.#now = now ?? (() => performance.now());
    const count = processors ?? availableParallelism();
    this.#most = Math.min(FLOODS_BYTES_PER_MS, MANY_BYTES_PER_MS * count);
    this.#timeShare = Math.min(1, MANY_TIME_SHARE * count);
  }

  /** Returns how many bytes a PTY may give in the turn that begins; a first read has already given `count` of them. */
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
   * Returns for how many milliseconds a PTY stays idle that has given `bytes` in the turn that ends: 0 for a PTY that
   * is alone in flood, or not in flood.
   */
  rest(pty: Pty, bytes: number): number {
    const flow = this.#flows.get(pty);
    if (!flow) return 0;
    if (flow.excess <= BURST_BYTES && flow.excess + bytes > BURST_BYTES) this.#floods++;
    flow.excess = Math.min(flow.excess + bytes, MOST_EXCESS_BYTES);
    const floods = this.#floods;
    if (flow.excess <= BURST_BYTES || floods === 1) return 0;
    const rest = floods * (floods <= FEW_FLOODS ? bytes / FLOODS_BYTES_PER_MS : this.#timeAmongMany(bytes));
    // A PTY stays in flood while it is idle, since idling calms nothing: among more than a thousand floods, each is
    // idle for longer than FLOOD_MS.
    flow.until += rest;
    flow.at += rest;
    return rest;
  }

  /** Removes a PTY that is gone. */
  leave(pty: Pty): void {
    this.#remove(pty);
  }

  /** Returns how long many floods may take to give `bytes`, which were read since the turn began. */
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
