import { randomUUID } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { MAX_HOST_META_BYTES } from '../../contract/limits.js';
import { ExitReason } from '../../contract/terminal.js';

/** A process, told from later ones of its number. */
const KnownProcess = z.object({ pid: z.int().min(1), startedAt: z.string().nullable() });

const LedgerRecord = z.object({
  /** Of the system's start that the times of processes count from. */
  boot: z.string(),
  /** The pty host that answers for the terminal. */
  host: KnownProcess,
  handle: z.int().min(1),
  id: z.string(),
  /** Of the program. */
  pid: z.int(),
  session: z.object({ leader: z.int().min(1), startedAt: z.string().nullable() }),
  /** Processes of the session may run, and are to be ended with the terminal. */
  hasSession: z.boolean(),
  /** Clients may see the terminal. */
  isListed: z.boolean(),
  cols: z.int(),
  rows: z.int(),
  meta: z.string().max(MAX_HOST_META_BYTES),
  exit: z
    .object({
      exitCode: z.int().nullable(),
      signal: z.string().nullable(),
      exitedAt: z.int(),
      reason: ExitReason.optional(),
    })
    .nullable(),
});
export type LedgerRecord = z.infer<typeof LedgerRecord>;

/** What is written down of a terminal; the rest of the record is the host's own. */
export type LedgerEntry = Omit<LedgerRecord, 'boot' | 'host'>;

export interface LedgerOptions {
  /** For this user alone; its parent is there. */
  folder: string;
  boot: string;
  host: z.infer<typeof KnownProcess>;
  log(message: string): void;
}

const PRIVATE_FOLDER = 0o700;
const PRIVATE_FILE = 0o600;
const EXTENSION = '.json';

/**
 * The terminals of a pty host on disk, a file for each, so that the next host can end and list what a killed one has
 * left. Written as it changes and never synced: after a crash of the machine no process is left either.
 */
export class Ledger {
  readonly #options: LedgerOptions;
  #isRefused = false;

  constructor(options: LedgerOptions) {
    this.#options = options;
  }

  /** A name for the file of one terminal. */
  newName(): string {
    return `${randomUUID()}${EXTENSION}`;
  }

  write(name: string, entry: LedgerEntry): void {
    const { folder, boot, host } = this.#options;
    const record: LedgerRecord = { boot, host, ...entry };
    this.#attempt(() => {
      mkdirSync(folder, { recursive: true, mode: PRIVATE_FOLDER });
      const file = join(folder, name);
      // A host that is killed in the midst leaves the record as it was.
      writeFileSync(`${file}.new`, JSON.stringify(record), { mode: PRIVATE_FILE });
      renameSync(`${file}.new`, file);
    });
  }

  remove(name: string): void {
    this.#attempt(() => rmSync(join(this.#options.folder, name), { force: true }));
  }

  /** The records of hosts for which `isGone` holds. Files that hold none are removed. */
  leftBy(
    isGone: (host: LedgerRecord['host'], boot: string) => boolean,
  ): { name: string; record: LedgerRecord }[] {
    return this.#names().flatMap((name) => {
      const record = this.#read(name);
      if (!record) {
        this.remove(name);
        return [];
      }
      return isGone(record.host, record.boot) ? [{ name, record }] : [];
    });
  }

  #names(): string[] {
    try {
      const entries = readdirSync(this.#options.folder, { withFileTypes: true });
      return entries.filter((entry) => entry.isFile()).map(({ name }) => name);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT')
        this.#options.log(`ledger can not be read: ${error}`);
      return [];
    }
  }

  #read(name: string): LedgerRecord | undefined {
    try {
      const text = readFileSync(join(this.#options.folder, name), 'utf8');
      if (name.endsWith(EXTENSION)) return LedgerRecord.parse(JSON.parse(text));
    } catch (error) {
      this.#options.log(`a record of the ledger can not be read: ${error}`);
    }
    return undefined;
  }

  /** A terminal works without its record; a full disk is told of once. */
  #attempt(change: () => void): void {
    try {
      change();
      this.#isRefused = false;
    } catch (error) {
      if (!this.#isRefused) this.#options.log(`terminals are not written down: ${error}`);
      this.#isRefused = true;
    }
  }
}
