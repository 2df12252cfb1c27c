/** Time after which other events get their turn. A signature takes a third of a millisecond to check. */
const SLICE_MS = 2;

/** Handles items in order, a few at a time, so that a flood of them delays everything else by one slice only. */
export class Slices<Item> {
  readonly #handle: (item: Item) => void;
  readonly #waiting: Item[] = [];
  #isRunning = false;

  constructor(handle: (item: Item) => void) {
    this.#handle = handle;
  }

  add(item: Item): void {
    this.#waiting.push(item);
    if (this.#isRunning) return;
    this.#isRunning = true;
    // A port passes on all that has come in one turn: handled at once, it would be one slice.
    setImmediate(() => this.#run());
  }

  #run(): void {
    const end = performance.now() + SLICE_MS;
    let count = 0;
    while (count < this.#waiting.length && performance.now() < end) this.#handle(this.#waiting[count++]!);
    this.#waiting.splice(0, count);
    if (this.#waiting.length > 0) setImmediate(() => this.#run());
    else this.#isRunning = false;
  }
}
