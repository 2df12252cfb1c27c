import type { Database } from 'lmdb';
import { MAX_STORE_ID_BYTES } from '../contract/limits.js';
import type { Takes } from './room.js';
import type { Codec } from './store.js';

/** What the records of one name are kept with. */
export interface LmdbParts<T> {
  database: Database<Buffer, string>;
  codec: Codec<T>;
  /** Starts a write, which takes so much of the disk, and which the store's close awaits. */
  track: (takes: Takes, start: () => Promise<unknown>) => Promise<void>;
  /** A record that cannot be read. */
  onFault: (id: string, bytes: Buffer, fault: string) => void;
}

/** LMDB itself throws in the midst of a batch, and never ends it. */
export function refuseTooLong(id: string): void {
  if (Buffer.byteLength(id) > MAX_STORE_ID_BYTES) throw new Error('the id is too long for the store');
}
