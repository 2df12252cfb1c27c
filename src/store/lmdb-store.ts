import { rename } from 'node:fs/promises';
import type { Database } from 'lmdb';
import type { Logger } from 'pino';
import { makePrivateFolder } from '../config/private-folder.js';
import { faultOfEnvironment } from './check/check.js';
import { BINARY, type Environment, leaveToLmdb, openEnvironment } from './environment.js';
import { LmdbCollection } from './lmdb-collection.js';
import type { LmdbParts } from './lmdb-parts.js';
import { LmdbShelf } from './lmdb-shelf.js';
import type { Codec, Collection, Shelf, Store } from './store.js';

/** Holds records that could not be read, as they were, under `<collection>/<id>/<time>`. */
const DAMAGED = 'damaged';

type StoreLogger = Pick<Logger, 'warn' | 'error'>;

/**
 * Opens the store in `folder`, making it if need be. An environment that LMDB cannot read is renamed to
 * `<folder>.damaged-<epoch milliseconds>`, with a log line, and an empty one takes its place. Throws ConfigError
 * when the folder cannot be used at all.
 */
export async function openStore(folder: string, logger: StoreLogger): Promise<Store> {
  await makePrivateFolder(folder);
  const fault = await faultOfEnvironment(folder);
  if (fault !== null) {
    const aside = `${folder}.damaged-${Date.now()}`;
    await rename(folder, aside);
    await makePrivateFolder(folder);
    logger.error({ fault, movedTo: aside }, 'the store is damaged; it was moved aside and begun anew');
  }
  return new LmdbStore(openEnvironment(folder), logger);
}

class LmdbStore implements Store {
  readonly #environment: Environment;
  readonly #damaged: Database<Buffer, string>;
  readonly #logger: StoreLogger;
  readonly #writes = new Set<Promise<unknown>>();
  readonly #names = new Set<string>([DAMAGED]);
  #closed = false;

  constructor(environment: Environment, logger: StoreLogger) {
    this.#environment = environment;
    this.#damaged = environment.openDB<Buffer, string>(DAMAGED, BINARY);
    this.#logger = logger;
  }

  collection<T>(name: string, codec: Codec<T>): Collection<T> {
    return new LmdbCollection(this.#partsOf(name, codec));
  }

  shelf<T>(name: string, codec: Codec<T>): Shelf<T> {
    return new LmdbShelf(this.#partsOf(name, codec));
  }

  /** LMDB writes nothing of what is pending when a process exits, so this waits for all of it. */
  async close(): Promise<void> {
    this.#closed = true;
    await Promise.allSettled(this.#writes);
    await this.#environment.flushed;
    await this.#environment.close();
  }

  #partsOf<T>(name: string, codec: Codec<T>): LmdbParts<T> {
    if (this.#names.has(name)) throw new Error(`the collection ${name} is in use`);
    this.#names.add(name);
    const database = this.#environment.openDB<Buffer, string>(name, BINARY);
    return {
      database,
      codec,
      track: (start) => this.#track(start),
      onFault: (id, bytes, fault) => this.#setAside(database, name, id, bytes, fault),
    };
  }

  async #track(start: () => Promise<unknown>): Promise<void> {
    if (this.#closed) throw new Error('the store is closed');
    const write = start();
    this.#writes.add(write);
    try {
      await write;
    } catch (error) {
      leaveToLmdb(error);
      throw error;
    } finally {
      this.#writes.delete(write);
    }
  }

  /** Writes it there before it removes it here: at any moment it is somewhere. */
  #setAside(from: Database<Buffer, string>, name: string, id: string, bytes: Buffer, fault: string): void {
    this.#logger.warn({ collection: name, id, fault }, 'a stored record cannot be read; it was set aside');
    const move = async () => {
      await this.#damaged.put(`${name}/${id}/${Date.now()}`, bytes);
      await from.remove(id);
    };
    this.#track(move).catch((err: unknown) =>
      this.#logger.error({ err, collection: name, id }, 'a damaged record could not be set aside'),
    );
  }
}
