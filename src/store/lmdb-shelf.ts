import { isTooLong, type LmdbParts, refuseTooLong } from './lmdb-parts.js';
import { decodeRecord, encodeRecord } from './records.js';
import type { Shelf, ShelfChanges } from './store.js';

/** A shelf over one LMDB database. */
export class LmdbShelf<T> implements Shelf<T> {
  readonly #parts: LmdbParts<T>;

  constructor(parts: LmdbParts<T>) {
    this.#parts = parts;
  }

  ids(prefix: string): string[] {
    const ids: string[] = [];
    for (const id of this.#parts.database.getKeys({ start: prefix })) {
      if (!id.startsWith(prefix)) break;
      ids.push(id);
    }
    return ids;
  }

  get(id: string): T | undefined {
    const { database, codec, onFault } = this.#parts;
    // A client may ask for any text.
    const bytes = isTooLong(id) ? undefined : database.get(id);
    if (!bytes) return undefined;
    const decoded = decodeRecord(codec, bytes);
    if ('value' in decoded) return decoded.value;
    onFault(id, Buffer.from(bytes), decoded.fault);
    return undefined;
  }

  hurry(): void {
    this.#parts.hurry();
  }

  async write({ clear, remove, put }: ShelfChanges<T>, { joins = false } = {}): Promise<void> {
    const { database, codec, track } = this.#parts;
    for (const id of put.keys()) refuseTooLong(id);
    // Encoded before the transaction begins, because other writes wait for the transaction.
    const records = [...put].map(([id, value]) => ({ id, bytes: encodeRecord(codec, value) }));
    const values = records.map(({ bytes }) => bytes.length);
    const change = () => {
      for (const id of [...clear.flatMap((prefix) => this.ids(prefix)), ...remove]) database.remove(id);
      for (const { id, bytes } of records) database.put(id, bytes);
    };
    const takes = { values, isRemoval: clear.length + remove.length > 0 };
    await track(takes, () => database.transaction(change), joins);
  }
}
