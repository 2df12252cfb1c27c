import type { z } from 'zod';

/** How the records of one collection are written, and how those of older versions are read. */
export interface Codec<T> {
  /** A whole number from 1 on; raised whenever a record of the old shape would not pass the schema. */
  version: number;
  /** What a record must look like when it is read back. */
  schema: z.ZodType<T>;
  /** By the version it starts from: makes a value of version n one of version n + 1. */
  migrations?: Readonly<Record<number, (value: unknown) => unknown>>;
}

/**
 * Small records of one kind, by id. They are held in memory, so reading is free and sees every `put` and `remove`
 * at once; what could not be written is taken back when the write rejects.
 */
export interface Collection<T> {
  /** In the order of their ids, those added since the start last. */
  all(): ReadonlyMap<string, T>;
  get(id: string): T | undefined;
  /** Resolves once committed: from then on it survives the death of the process. */
  put(id: string, value: T): Promise<void>;
  /** Resolves once committed, also when there was nothing to remove. */
  remove(id: string): Promise<void>;
}

/** What one transaction of a {@link Shelf} does. */
export interface ShelfChanges<T> {
  /** Beginnings of ids: all that begin so go. */
  clear: readonly string[];
  remove: readonly string[];
  /** After all that goes has gone. */
  put: ReadonlyMap<string, T>;
}

/**
 * Records of one kind, by id, that stay on the disk: for what is too much to be held in memory. They are read as of
 * the last commit.
 */
export interface Shelf<T> {
  /** Those that begin with `prefix`, in their order. */
  ids(prefix: string): string[];
  get(id: string): T | undefined;
  /** Resolves once all of it is committed; when it rejects, nothing of it is. */
  write(changes: ShelfChanges<T>): Promise<void>;
}

/** Where the service keeps small things across restarts. One writer: the main thread of the service. */
export interface Store {
  /**
   * The collection of this name, read in full. A record that cannot be read is moved aside, with a log line. Each
   * name is asked for once.
   */
  collection<T>(name: string, codec: Codec<T>): Collection<T>;
  /** The shelf of this name; as for collections, but a record that cannot be read is met when it is asked for. */
  shelf<T>(name: string, codec: Codec<T>): Shelf<T>;
  /** Resolves once everything is written; nothing can be written afterwards. */
  close(): Promise<void>;
}
