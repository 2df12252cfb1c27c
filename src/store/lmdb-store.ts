import type { Database } from 'lmdb';
import type { Logger } from 'pino';
import { makePrivateFolder } from '../config/private-folder.js';
import { Environment } from './environment.js';
import { LmdbCollection } from './lmdb-collection.js';
import type { LmdbParts } from './lmdb-parts.js';
import { LmdbShelf } from './lmdb-shelf.js';
import { faultOfStore, finishRebuilding, rebuild } from './rebuild.js';
import type { Takes } from './room.js';
import type { Codec, Collection, Shelf, Store } from './store.js';
import { keepCopy } from './store-copy.js';

/** Database of records that could not be read, unchanged, under `<collection>/<id>/<time>`. */
const DAMAGED = 'damaged';

const LEFT_OUT =
  'tokens, webhooks, watches and prompts that only the copy of the store has were left out, since they may have been ' +
  'removed or changed after the copy was made; create those again that are still wanted';

type StoreLogger = Pick<Logger, 'warn' | 'error'>;

/**
 * Opens the store in `folder`, and creates it if necessary. If LMDB cannot read the environment, it is renamed to
 * `<folder>.damaged-<epoch milliseconds>`, with a log line, and replaced by a new environment with all records that can
 * still be read from it, completed from the copy. Throws ConfigError when the folder cannot be used at all.
 */
export async function openStore(folder: string, logger: StoreLogger): Promise<Store> {
  await finishRebuilding(folder);
  await makePrivateFolder(folder);
  const fault = await faultOfStore(folder);
  if (fault !== null) {
    const { leftOut, ...found } = await rebuild(folder);
    logger.error(
      { fault, ...found },
      'the store is damaged; it was moved aside, and what can be read was kept',
    );
    if (Object.keys(leftOut).length > 0) logger.error({ leftOut }, LEFT_OUT);
  }
  const environment = Environment.open(folder);
  environment.coverTail();
  return new LmdbStore(folder, environment, logger);
}

class LmdbStore implements Store {
  readonly #folder: string;
  readonly #environment: Environment;
  readonly #damaged: Database<Buffer, string>;
  readonly #logger: StoreLogger;
  readonly #writes = new Set<Promise<unknown>>();
  readonly #names = new Set<string>([DAMAGED]);
  #closed = false;

  constructor(folder: string, environment: Environment, logger: StoreLogger) {
    this.#folder = folder;
    this.#environment = environment;
    this.#damaged = environment.openDB<string>(DAMAGED);
    this.#logger = logger;
  }

  collection<T>(name: string, codec: Codec<T>): Collection<T> {
    return new LmdbCollection(this.#partsOf(name, codec));
  }

  shelf<T>(name: string, codec: Codec<T>): Shelf<T> {
    return new LmdbShelf(this.#partsOf(name, codec));
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#environment.hurry();
    await Promise.allSettled(this.#writes);
    await this.#environment.close();
    await this.#keepCopy();
  }

  #partsOf<T>(name: string, codec: Codec<T>): LmdbParts<T> {
    if (this.#names.has(name)) throw new Error(`the collection ${name} is in use`);
    this.#names.add(name);
    const database = this.#environment.openDB<string>(name);
    return {
      database,
      codec,
      track: (takes, start, joins) => this.#track(takes, start, joins),
      hurry: () => this.#environment.hurry(),
      onFault: (id, bytes, fault) => this.#setAside(database, name, id, bytes, fault),
    };
  }

  async #track(takes: Takes, start: () => Promise<unknown>, joins = false): Promise<void> {
    if (this.#closed) throw new Error('the store is closed');
    const write = this.#environment.commit(takes, start, joins);
    this.#writes.add(write);
    try {
      await write;
    } finally {
      this.#writes.delete(write);
    }
  }

  /** Copies the store; if that fails, only the new copy is missing. */
  async #keepCopy(): Promise<void> {
    const reason = await keepCopy(this.#folder).catch((err: unknown) => err);
    if (reason !== null)
      this.#logger.warn({ reason }, 'the store could not be copied; the previous copy stays');
  }

  /** Writes the record to its new place before it removes it here, so that it exists somewhere at any moment. */
  #setAside(from: Database<Buffer, string>, name: string, id: string, bytes: Buffer, fault: string): void {
    this.#logger.warn({ collection: name, id, fault }, 'a stored record cannot be read; it was set aside');
    const move = async () => {
      await this.#damaged.put(`${name}/${id}/${Date.now()}`, bytes);
      await from.remove(id);
    };
    this.#track({ values: [bytes.length] }, move).catch((err: unknown) =>
      this.#logger.error({ err, collection: name, id }, 'a damaged record could not be set aside'),
    );
  }
}
