/** Milliseconds after which other events get their turn. Checking a signature takes a third of a millisecond. */
const SLICE_MS = 2;

/**
 * Handles items in order, each at once while the slice lasts, so that a flood of them delays everything else by one slice
 * only.
 */
export class Slices<Item> {
  readonly #handle: (item: Item) => void;
  readonly #waiting: Item[] = [];
  /** When the slice of this turn ends; undefined as long as nothing was handled in this turn. */
  #endsAt: number | undefined;

  constructor(handle: (item: Item) => void) {
    this.#handle = handle;
  }

  add(item: Item): void {
    // A port passes on all that has come in one turn, which is one slice together.
    if (this.#endsAt === undefined) this.#begin();
    this.#waiting.push(item);
    if (this.#waiting.length === 1) this.#run();
  }

  #begin(): void {
    this.#endsAt = performance.now() + SLICE_MS;
    setImmediate(() => {
      this.#endsAt = undefined;
      if (this.#waiting.length === 0) return;
      this.#begin();
      this.#run();
    });
  }

  /** Handles waiting items until the slice is over. */
  #run(): void {
    let count = 0;
    while (count < this.#waiting.length && performance.now() < this.#endsAt!)
      this.#handle(this.#waiting[count++]!);
    this.#waiting.splice(0, count);
  }
}
