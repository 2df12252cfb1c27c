/** Time in which Escape has to be pressed twice. */
const TWICE_MS = 300;

/** The part of a key event that is needed. */
interface Press {
  key: string;
  timeStamp: number;
  repeat: boolean;
}

/** Detects Escape pressed twice in a row. */
export class EscapeTwice {
  #last = Number.NEGATIVE_INFINITY;

  /** Takes a key that is pressed; returns whether it is the second Escape. A key that is held down counts once. */
  press({ key, timeStamp, repeat }: Press): boolean {
    if (repeat) return false;
    const isTwice = key === 'Escape' && timeStamp - this.#last < TWICE_MS;
    this.#last = key === 'Escape' && !isTwice ? timeStamp : Number.NEGATIVE_INFINITY;
    return isTwice;
  }
}
