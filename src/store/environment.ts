import { statSync } from 'node:fs';
import { join } from 'node:path';
import { type Database, open, type RootDatabase, type RootDatabaseOptionsWithPath } from 'lmdb';
import { fillLockFile } from './lock-file.js';
import { Room, type Takes } from './room.js';

/** Collections and the records set aside; LMDB wants to know how many there may be. */
export const MAX_DATABASES = 32;

/** The databases of an environment: raw bytes by text keys. */
export const BINARY = { encoding: 'binary' } as const;

/** The file that holds an environment's data. */
export const DATA_FILE = 'data.mdb';

/** What stands where an environment has its data. */
export function kindOfData(folder: string): 'file' | 'none' | 'no file' {
  const found = statSync(join(folder, DATA_FILE), { throwIfNoEntry: false });
  if (!found) return 'none';
  return found.isFile() ? 'file' : 'no file';
}

/** What opens a database of an environment. */
export interface OpensDatabases {
  openDB<Key extends string | number>(name: string): Database<Buffer, Key>;
}

/** What a new, empty database takes: its first page, and those above it. */
const NEW_DATABASE: Takes = { values: [0] };

/**
 * An LMDB environment for its one writer. Every write goes through {@link commit}, which asks for room on the disk
 * before LMDB does: LMDB answers a page that it cannot write with text printed past the end of its memory (3.5.6,
 * `mdb_page_flush`), and by a promise that nobody holds.
 */
export class Environment implements OpensDatabases {
  readonly root: RootDatabase<Buffer, string>;
  readonly #room: Room;

  private constructor(root: RootDatabase<Buffer, string>, folder: string) {
    this.root = root;
    this.#room = new Room(root, join(folder, DATA_FILE));
  }

  /**
   * Opens the environment in a folder, its files for the owner alone. An environment that is damaged may end the
   * process here or at any read (LMDB maps the file and follows what it finds), so it is checked first, by
   * `check/check.ts`, in a process that may be lost. Throws ENOSPC where there is no room for the files.
   */
  static open(folder: string): Environment {
    fillLockFile(folder);
    // lmdb's types leave `permissionsMode` out.
    const options: RootDatabaseOptionsWithPath & { permissionsMode: number } = {
      path: folder,
      // lmdb takes a folder with a dot in its name for a file.
      noSubdir: false,
      maxDbs: MAX_DATABASES,
      permissionsMode: 0o600,
      // Batching by turns makes promises that nobody sees: a full disk would end the process by one of them.
      eventTurnBatching: false,
      ...BINARY,
    };
    return new Environment(open<Buffer, string>(options), folder);
  }

  /** Names of the databases that there are. */
  names(): string[] {
    return [...this.root.getKeys()];
  }

  /** Opens a database, making it if need be. Throws `storage-full` where there is no room for a new one. */
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

  /** Has the data file reach as far as LMDB counts its pages; see {@link Room.coverTail}. */
  coverTail(): void {
    this.#room.coverTail();
  }

  /**
   * Starts a write and resolves once it is committed. Rejects with `storage-full` before anything is started where the
   * disk has no room for what it `takes`.
   */
  async commit<T>(takes: Takes, start: () => Promise<T>): Promise<T> {
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

  /** LMDB writes nothing of what is pending when a process exits, so this waits for all of it. */
  async close(): Promise<void> {
    // After a commit that failed, LMDB's promises of a flush stay open for good; one that writes nothing renews them.
    await this.root.transaction(() => undefined);
    await this.root.flushed;
    await this.root.close();
    this.#room.close();
  }
}

/** A failed commit carries its reason as a promise of its own, which, unhandled, would end the process. */
function leaveToLmdb(error: unknown): void {
  if (!(error instanceof Error) || !('commitError' in error)) return;
  Promise.resolve(error.commitError).catch(() => undefined);
}
