import type { Database } from 'lmdb';
import { MAX_STORE_ID_BYTES } from '../contract/limits.js';
import type { Takes } from './room.js';
import type { Codec } from './store.js';

/** Parts with which the records of one name are kept. */
export interface LmdbParts<T> {
  database: Database<Buffer, string>;
  codec: Codec<T>;
  /**
   * Starts a write, which takes this much of the disk; the store's `close` waits for it. See `Environment.commit` for
   * `joins`.
   */
  track: (takes: Takes, start: () => Promise<unknown>, joins?: boolean) => Promise<void>;
  /** Starts the writes that wait to be committed with another one. */
  hurry: () => void;
  /** Called for a record that cannot be read. */
  onFault: (id: string, bytes: Buffer, fault: string) => void;
}

/** Throws if the id is too long; LMDB itself would throw in the middle of a batch, and never end the batch. */
export function refuseTooLong(id: string): void {
  if (isTooLong(id)) throw new Error('the id is too long for the store');
}

/** Returns whether there can be no record with this id. LMDB throws for a key that is far too long. */
export function isTooLong(id: string): boolean {
  return Buffer.byteLength(id) > MAX_STORE_ID_BYTES;
}
