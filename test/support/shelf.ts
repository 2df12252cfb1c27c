import type { Shelf, ShelfChanges } from '#dist/store/store.js';

/** A shelf in memory, whose writes are committed a turn later, or fail while `isFull`. */
export class MemoryShelf<T> implements Shelf<T> {
  readonly records = new Map<string, string>();
  isFull = false;

  ids(prefix: string): string[] {
    return [...this.records.keys()].filter((id) => id.startsWith(prefix)).sort();
  }

  get(id: string): T | undefined {
    const text = this.records.get(id);
    return text === undefined ? undefined : JSON.parse(text);
  }

  /** Does nothing: here no write waits for another. */
  hurry(): void {}

  async write({ clear, remove, put }: ShelfChanges<T>): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve));
    if (this.isFull) throw new Error('no space left');
    for (const id of [...clear.flatMap((prefix) => this.ids(prefix)), ...remove]) this.records.delete(id);
    for (const [id, value] of put) this.records.set(id, JSON.stringify(value));
  }
}
