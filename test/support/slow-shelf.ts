import type { Shelf, ShelfChanges } from '#dist/store/store.js';

export const turn = () => new Promise((resolve) => setImmediate(resolve));

/** A shelf whose writes are committed, in their order, when the test says so; a crash loses the others. */
export class SlowShelf<T> implements Shelf<T> {
  readonly records = new Map<string, T>();
  #waiting: { changes: ShelfChanges<T>; settle: (fault?: Error) => void }[] = [];

  ids(prefix: string): string[] {
    return [...this.records.keys()].filter((id) => id.startsWith(prefix));
  }

  get(id: string): T | undefined {
    return this.records.get(id);
  }

  hurry(): void {}

  write(changes: ShelfChanges<T>): Promise<void> {
    const copy = { ...changes, put: structuredClone(changes.put) };
    return new Promise((resolve, reject) => {
      this.#waiting.push({ changes: copy, settle: (fault) => (fault ? reject(fault) : resolve()) });
    });
  }

  /** Commits the first write that waits, or fails it. */
  async commit(fault?: Error): Promise<void> {
    const first = this.#waiting.shift();
    if (first && !fault) {
      for (const id of first.changes.remove) this.records.delete(id);
      for (const [id, record] of first.changes.put) this.records.set(id, record);
    }
    first?.settle(fault);
    await turn();
  }

  async commitAll(): Promise<void> {
    while (this.#waiting.length > 0) await this.commit();
  }

  crash(): void {
    this.#waiting = [];
  }
}
