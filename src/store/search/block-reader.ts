import { createHash } from 'node:crypto';
import { BlockView } from './block.js';
import { openForReading, openTables, readMeta, readValue, type Tables } from './tables.js';

/** A block and its number. */
export interface NumberedBlock {
  number: number;
  view: BlockView;
}

interface Opened {
  folder: string;
  environment: ReturnType<typeof openForReading>;
  tables: Tables;
}

/**
 * Reads the blocks of an index in another thread than the writer's. Keeps one environment open at a time.
 */
export class BlockReader {
  #opened: Opened | undefined;
  /** UUID from which the ids of documents are derived. */
  #id = '';

  /**
   * Yields the blocks from `newest` down to `oldest` whose signatures are wanted. A view is valid until the next block
   * is requested. Adds the numbers of blocks that cannot be read to `damaged`.
   *
   * @param folder - of an environment that this process has open for writing
   */
  *blocks(
    folder: string,
    range: { newest: number; oldest: number },
    isWanted: (signature: Uint8Array) => boolean,
    damaged: number[],
  ): Generator<NumberedBlock> {
    const tables = this.#open(folder);
    const { blocks, signatures } = tables;
    // The new read transaction sees all commits so far, and no page that it sees is reused before this thread's loop
    // turns.
    blocks.resetReadTxn();
    this.#id = readMeta(tables)?.id ?? '';
    for (let number = range.newest; number >= range.oldest; number--) {
      const signature = readValue(signatures, number);
      if (!signature || !isWanted(signature)) continue;
      const bytes = readValue(blocks, number);
      if (!bytes) continue;
      try {
        yield { number, view: new BlockView(bytes) };
      } catch {
        damaged.push(number);
      }
    }
  }

  /** Returns the id of a document, which is the same at every search: a UUID (version 8, from a hash). */
  idOf(block: number, index: number): string {
    const hash = createHash('sha256').update(`${this.#id}/${block}/${index}`).digest('hex');
    const variant = '89ab'[Number.parseInt(hash.charAt(16), 16) & 3];
    return [
      hash.slice(0, 8),
      hash.slice(8, 12),
      `8${hash.slice(13, 16)}`,
      `${variant}${hash.slice(17, 20)}`,
      hash.slice(20, 32),
    ].join('-');
  }

  /** Closes the open environment, unless it is at the path `current`. */
  async release(current: string): Promise<void> {
    const opened = this.#opened;
    if (!opened || opened.folder === current) return;
    this.#opened = undefined;
    await opened.environment.close();
  }

  #open(folder: string): Tables {
    if (this.#opened?.folder === folder) return this.#opened.tables;
    void this.#opened?.environment.close();
    this.#opened = undefined;
    const environment = openForReading(folder);
    const tables = openTables(environment);
    this.#opened = { folder, environment, tables };
    return tables;
  }
}
