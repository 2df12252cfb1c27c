/** Speeds between which the keys step. */
const SPEEDS: readonly number[] = [0.25, 0.5, 1, 1.5, 2, 3, 4];

/** Returns the next faster or slower of the usual speeds; the same speed if there is none. */
export function speedBeside(speed: number, direction: 'faster' | 'slower'): number {
  const beside =
    direction === 'faster'
      ? SPEEDS.find((other) => other > speed)
      : SPEEDS.findLast((other) => other < speed);
  return beside ?? speed;
}

/** Due times of events, in seconds from the beginning of the playback at speed 1. */
export class Schedule {
  readonly #idleLimit: number;
  readonly #start: number;
  #time = 0;
  #due = 0;

  /**
   * @param idleLimit - longest time without an event, in seconds
   * @param start - seconds of the recording; events before them are due at once
   */
  constructor({ idleLimit = Number.POSITIVE_INFINITY, start = 0 }: { idleLimit?: number; start?: number }) {
    this.#idleLimit = idleLimit;
    this.#start = start;
  }

  /** Returns when the next event is due. `time` is its place in the recording, in seconds. */
  next(time: number): number {
    const gap = Math.max(0, time - Math.max(this.#time, this.#start));
    this.#time = Math.max(this.#time, time);
    this.#due += Math.min(gap, this.#idleLimit);
    return this.#due;
  }
}

/**
 * Position of a playback, which moves at a speed and can be stopped. Times that callers pass are in milliseconds,
 * places in seconds.
 */
export class PlayClock {
  #speed: number;
  /** Seconds played up to `#since`. */
  #place = 0;
  /** Undefined while the clock is stopped. */
  #since: number | undefined;

  /** Makes a clock that is stopped at 0. */
  constructor(speed: number) {
    this.#speed = speed;
  }

  get isRunning(): boolean {
    return this.#since !== undefined;
  }

  get speed(): number {
    return this.#speed;
  }

  start(now: number): void {
    this.#since ??= now;
  }

  stop(now: number): void {
    this.#place = this.placeAt(now);
    this.#since = undefined;
  }

  setSpeed(speed: number, now: number): void {
    this.#place = this.placeAt(now);
    if (this.#since !== undefined) this.#since = now;
    this.#speed = speed;
  }

  /** Moves on to a place, if it is later. */
  moveTo(place: number, now: number): void {
    this.#place = Math.max(place, this.placeAt(now));
    if (this.#since !== undefined) this.#since = now;
  }

  /** Returns the seconds played. */
  placeAt(now: number): number {
    return this.#since === undefined
      ? this.#place
      : this.#place + ((now - this.#since) / 1_000) * this.#speed;
  }

  /** Returns the milliseconds until a place is reached: 0 if it has been, infinite if the clock is stopped. */
  msUntil(place: number, now: number): number {
    const seconds = place - this.placeAt(now);
    if (seconds <= 0) return 0;
    return this.isRunning ? (seconds / this.#speed) * 1_000 : Number.POSITIVE_INFINITY;
  }
}
