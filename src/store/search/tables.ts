import { type Database, open, type RootDatabaseOptionsWithPath } from 'lmdb';
import { z } from 'zod';
import { BINARY, type OpensDatabases } from '../environment.js';

/** Facts about the environment, as JSON under {@link META_KEY}. */
const Meta = z.object({
  /** UUID from which the ids of its documents are derived. */
  id: z.uuid(),
  /** Memory pages that the blocks and their signatures take. */
  pages: z.int().min(0),
  /** Bytes of folded text in the blocks. */
  textBytes: z.int().min(0),
});
export type Meta = z.infer<typeof Meta>;

export const META_KEY = 'search';

/** The tables of a search environment. Keys of blocks and of their signatures are the block's number, oldest first. */
export interface Tables {
  blocks: Database<Buffer, number>;
  /** Separate from the blocks, so that a scan skips a block without touching its pages. */
  signatures: Database<Buffer, number>;
  /** By terminal id, up to where the terminal's output is in the blocks. */
  cursors: Database<Buffer, string>;
  meta: Database<Buffer, string>;
}

export function openTables(environment: OpensDatabases): Tables {
  return {
    blocks: environment.openDB<number>('blocks'),
    signatures: environment.openDB<number>('signatures'),
    cursors: environment.openDB<string>('cursors'),
    meta: environment.openDB<string>('meta'),
  };
}

/**
 * Opens an environment that the main thread has open already, to read it in another thread; lmdb shares one mapping
 * within a process.
 */
export function openForReading(folder: string): OpensDatabases & { close(): Promise<void> } {
  const options: RootDatabaseOptionsWithPath = { path: folder, readOnly: true, maxDbs: 32, ...BINARY };
  const root = open<Buffer, string>(options);
  return {
    openDB: <Key extends string | number>(name: string) => root.openDB<Buffer, Key>(name, BINARY),
    close: () => root.close(),
  };
}

/**
 * Returns a value in place, valid until the next read: lmdb reads into its own buffer, which is longer than the value.
 */
export function readValue(database: Database<Buffer, number>, key: number): Buffer | undefined {
  const bytes = database.getBinaryFast(key);
  return bytes && Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
}

/** Returns undefined if the environment is new, or its `meta` is damaged. */
export function readMeta(tables: Tables): Meta | undefined {
  const bytes = tables.meta.get(META_KEY);
  try {
    return bytes && Meta.safeParse(JSON.parse(bytes.toString('utf8'))).data;
  } catch {
    return undefined;
  }
}
