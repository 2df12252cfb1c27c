import { statSync } from 'node:fs';
import { join } from 'node:path';
import { type Database, open, type RootDatabase, type RootDatabaseOptionsWithPath } from 'lmdb';
import { JoiningWrites } from './joining-writes.js';
import { fillLockFile } from './lock-file.js';
import { Room, type Takes } from './room.js';

/** Databases of an environment: collections, and the records set aside. LMDB needs to know their maximum in advance. */
export const MAX_DATABASES = 32;

/** Encoding of an environment's databases: raw bytes, by text keys. */
export const BINARY = { encoding: 'binary' } as const;

/** The file that holds an environment's data. */
export const DATA_FILE = 'data.mdb';

/** Returns what kind of entry is in the place of an environment's data file. */
export function kindOfData(folder: string): 'file' | 'none' | 'no file' {
  const found = statSync(join(folder, DATA_FILE), { throwIfNoEntry: false });
  if (!found) return 'none';
  return found.isFile() ? 'file' : 'no file';
}

/** The part of an environment that opens its databases. */
export interface OpensDatabases {
  openDB<Key extends string | number>(name: string): Database<Buffer, Key>;
}

/** Space that a new, empty database takes: its first page, and the pages above that page. */
const NEW_DATABASE: Takes = { values: [0] };

/**
 * An LMDB environment, for its only writer. Every write goes through {@link commit}, which makes sure that the disk has
 * room before LMDB writes. For a page that it cannot write, LMDB prints an error text past the end of a buffer (3.5.6,
 * `mdb_page_flush`), and rejects a promise that nobody holds.
 */
export class Environment implements OpensDatabases {
  readonly root: RootDatabase<Buffer, string>;
  readonly #room: Room;
  readonly #joining = new JoiningWrites();

  private constructor(root: RootDatabase<Buffer, string>, folder: string) {
    this.root = root;
    this.#room = new Room(root, join(folder, DATA_FILE));
  }

  /**
   * Opens the environment in a folder; only the owner can access its files. A damaged environment may end the process
   * here or at any read, since LMDB maps the file and follows what it finds there. So check it first with
   * `check/check.ts`, which uses a process that may die. Throws ENOSPC if there is no room for the files.
   */
  static open(folder: string): Environment {
    fillLockFile(folder);
    // lmdb's types omit `permissionsMode`.
    const options: RootDatabaseOptionsWithPath & { permissionsMode: number } = {
      path: folder,
      // lmdb would take a folder with a dot in its name for a file.
      noSubdir: false,
      maxDbs: MAX_DATABASES,
      permissionsMode: 0o600,
      // Batching by event turns makes promises that nobody handles; on a full disk their rejection would end the
      // process.
      eventTurnBatching: false,
      ...BINARY,
    };
    return new Environment(open<Buffer, string>(options), folder);
  }

  /** Returns the names of all databases. */
  names(): string[] {
    return [...this.root.getKeys()];
  }

  /** Opens a database, and creates it if necessary. Throws `storage-full` if there is no room for a new database. */
  openDB<Key extends string | number>(name: string): Database<Buffer, Key> {
    const release = this.names().includes(name) ? undefined : this.#room.claim(NEW_DATABASE);
    try {
      return this.root.openDB<Buffer, Key>(name, BINARY);
    } finally {
      release?.();
    }
  }

  /** Bytes of the data file that are in use; it may be longer. */
  get usedBytes(): number {
    return this.#room.usedBytes;
  }

  /** Whether a small record can be written. */
  hasRoom(): boolean {
    return this.#room.has(NEW_DATABASE);
  }

  /** Extends the data file to the length by which LMDB counts its pages; see {@link Room.coverTail}. */
  coverTail(): void {
    this.#room.coverTail();
  }

  /**
   * Starts a write and resolves once it is committed. Rejects with `storage-full`, without starting the write, if the
   * disk lacks the space that `takes` describes. With `joins`, the write is held until the next write without `joins`, for
   * at most STORE_JOIN_MS, and both are committed together. Writes are made in the order of the calls.
   */
  commit<T>(takes: Takes, start: () => Promise<T>, joins = false): Promise<T> {
    if (joins) return this.#joining.add(() => this.#commit(takes, start));
    this.hurry();
    return this.#commit(takes, start);
  }

  /** Starts the writes that wait to be committed with another one. */
  hurry(): void {
    this.#joining.start();
  }

  /** Closes the environment after all pending writes, which LMDB would drop when the process exits. */
  async close(): Promise<void> {
    this.hurry();
    // After a failed commit, LMDB's flush promises stay pending forever; a transaction that writes nothing renews them.
    await this.root.transaction(() => undefined);
    await this.root.flushed;
    await this.root.close();
    this.#room.close();
  }

  async #commit<T>(takes: Takes, start: () => Promise<T>): Promise<T> {
    const release = this.#room.claim(takes);
    try {
      return await start();
    } catch (error) {
      leaveToLmdb(error);
      throw error;
    } finally {
      release();
    }
  }
}

/** Handles the promise that a failed commit carries as its reason; unhandled, it would end the process. */
function leaveToLmdb(error: unknown): void {
  if (!(error instanceof Error) || !('commitError' in error)) return;
  Promise.resolve(error.commitError).catch(() => undefined);
}
