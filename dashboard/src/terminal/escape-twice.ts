/** Time in which Escape has to be pressed twice. */
const TWICE_MS = 300;

/** What is needed of the event of a key. */
interface Press {
  key: string;
  timeStamp: number;
  repeat: boolean;
}

/** Notices that Escape is pressed twice in a row. */
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
