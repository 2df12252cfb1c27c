import { type LmdbParts, refuseTooLong } from './lmdb-parts.js';
import { decodeRecord, encodeRecord } from './records.js';
import type { Takes } from './room.js';
import type { Collection } from './store.js';

/** A collection over one LMDB database, which reads its records once and keeps them in memory. */
export class LmdbCollection<T> implements Collection<T> {
  readonly #parts: LmdbParts<T>;
  readonly #values = new Map<string, T>();

  constructor(parts: LmdbParts<T>) {
    this.#parts = parts;
    for (const { key, value } of parts.database.getRange()) {
      const decoded = decodeRecord(parts.codec, value);
      if ('value' in decoded) this.#values.set(key, decoded.value);
      else parts.onFault(key, Buffer.from(value), decoded.fault);
    }
  }

  all(): ReadonlyMap<string, T> {
    return this.#values;
  }

  get(id: string): T | undefined {
    return this.#values.get(id);
  }

  async put(id: string, value: T): Promise<void> {
    const { database, codec } = this.#parts;
    refuseTooLong(id);
    const bytes = encodeRecord(codec, value);
    this.#values.set(id, value);
    await this.#write(id, value, { values: [bytes.length] }, () => database.put(id, bytes));
  }

  async remove(id: string): Promise<void> {
    this.#values.delete(id);
    const takes = { values: [], isRemoval: true };
    await this.#write(id, undefined, takes, () => this.#parts.database.remove(id));
  }

  /** Writes one record. If that fails, memory returns to the record on the disk, unless the record has changed since. */
  async #write(id: string, value: T | undefined, takes: Takes, write: () => Promise<boolean>): Promise<void> {
    try {
      await this.#parts.track(takes, write);
    } catch (error) {
      if (this.#values.get(id) === value) this.#readBack(id);
      throw error;
    }
  }

  #readBack(id: string): void {
    const bytes = this.#parts.database.get(id);
    const decoded = bytes && decodeRecord(this.#parts.codec, bytes);
    if (decoded && 'value' in decoded) this.#values.set(id, decoded.value);
    else this.#values.delete(id);
  }
}
