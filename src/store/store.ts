import type { z } from 'zod';

/**
 * Name of the shelf of the log of events. A store that was damaged begins without it: a log that was put together from
 * the readable parts may lack events that clients have got.
 */
export const EVENT_LOG_NAME = 'events';

/**
 * Names of the collections whose records give a right, or act by themselves. Of these, a damaged store takes nothing from
 * its copy: a token that was deleted since would open the service again, and a removed webhook, watch or prompt would send
 * or type again.
 */
export const ACTING = {
  tokens: 'tokens',
  webhooks: 'webhooks',
  watches: 'watches',
  prompts: 'prompts',
} as const;

/** How the records of one collection are written, and how records of older versions are read. */
export interface Codec<T> {
  /** A whole number, from 1 on; raised whenever a record of the old shape would not match the schema. */
  version: number;
  /** Schema that a record must match when it is read back. */
  schema: z.ZodType<T>;
  /** Migrations by the version they start from: each converts a value of version n to version n + 1. */
  migrations?: Readonly<Record<number, (value: unknown) => unknown>>;
}

/**
 * Small records of one kind, by id. They are kept in memory, so that reading is free and sees every `put` and `remove`
 * at once; a change that could not be written is reverted when its write rejects.
 */
export interface Collection<T> {
  /** Returns the records in the order of their ids, followed by the records added since the start. */
  all(): ReadonlyMap<string, T>;
  get(id: string): T | undefined;
  /** Resolves once committed, after which the record survives the death of the process. */
  put(id: string, value: T): Promise<void>;
  /** Resolves once committed, even if there was nothing to remove. */
  remove(id: string): Promise<void>;
}

/** The changes of one transaction of a {@link Shelf}. */
export interface ShelfChanges<T> {
  /** Prefixes: every record whose id starts with one of them is removed. */
  clear: readonly string[];
  remove: readonly string[];
  /** Records to write after all removals. */
  put: ReadonlyMap<string, T>;
}

/**
 * Records of one kind, by id, that stay on the disk because they are too much for memory. Reads see the last commit.
 */
export interface Shelf<T> {
  /** Returns the ids that begin with `prefix`, in order. */
  ids(prefix: string): string[];
  get(id: string): T | undefined;
  /**
   * Resolves once all changes are committed; when it rejects, none is. With `joins`, the changes are committed together
   * with the next write to the store that does not join, at the latest after STORE_JOIN_MS.
   */
  write(changes: ShelfChanges<T>, options?: { joins: boolean }): Promise<void>;
  /** Starts the writes of the store that wait to join another one. */
  hurry(): void;
}

/** Keeps small data of the service across restarts. Its only writer is the main thread of the service. */
export interface Store {
  /**
   * Returns the collection of this name, read in full. A record that cannot be read is moved aside, with a log line.
   * Each name may be requested once.
   */
  collection<T>(name: string, codec: Codec<T>): Collection<T>;
  /**
   * Returns the shelf of this name; as for collections, but a record that cannot be read is found only when requested.
   */
  shelf<T>(name: string, codec: Codec<T>): Shelf<T>;
  /** Resolves once everything is written; nothing can be written afterwards. */
  close(): Promise<void>;
}
