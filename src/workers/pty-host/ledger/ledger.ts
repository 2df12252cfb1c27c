import { randomUUID } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { MAX_HOST_META_BYTES } from '../../../contract/limits.js';
import { ExitReason } from '../../../contract/terminal.js';
import { HeldLimits } from '../../../contract/terminal-limits.js';

/** A process, distinguishable from later ones with the same pid. */
const KnownProcess = z.object({ pid: z.int().min(1), startedAt: z.string().nullable() });

/** The limits of a terminal, and the folder of its control group, if it has one. */
export const KeptLimits = z.object({ held: HeldLimits, group: z.string().nullable() });
export type KeptLimits = z.infer<typeof KeptLimits>;

const LedgerRecord = z.object({
  /** Boot of the system from which the start times of processes count. */
  boot: z.string(),
  /** The pty host that is responsible for the terminal. */
  host: KnownProcess,
  handle: z.int().min(1),
  id: z.string(),
  /** Pid of the program. */
  pid: z.int(),
  session: z.object({ leader: z.int().min(1), startedAt: z.string().nullable() }),
  /** Whether processes of the session may run, which must be ended with the terminal. */
  hasSession: z.boolean(),
  /** Whether clients may see the terminal. */
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
      oomKilled: z.boolean().optional(),
    })
    .nullable(),
  limits: KeptLimits.optional(),
});
export type LedgerRecord = z.infer<typeof LedgerRecord>;

/** The part of a record that describes the terminal; the remainder describes the host. */
export type LedgerEntry = Omit<LedgerRecord, 'boot' | 'host'>;

export interface LedgerOptions {
  /** Folder for this user alone; its parent exists. */
  folder: string;
  boot: string;
  host: z.infer<typeof KnownProcess>;
  log(message: string): void;
}

const PRIVATE_FOLDER = 0o700;
const PRIVATE_FILE = 0o600;
const EXTENSION = '.json';

/**
 * Records the terminals of a pty host on disk, one file for each, so that the next host can end the processes of a killed
 * host and list its terminals. Files are written on each change and never synced, since no process survives a crash of
 * the machine either.
 */
export class Ledger {
  readonly #options: LedgerOptions;
  #isRefused = false;

  constructor(options: LedgerOptions) {
    this.#options = options;
  }

  /** Returns a new name for the file of one terminal. */
  newName(): string {
    return `${randomUUID()}${EXTENSION}`;
  }

  write(name: string, entry: LedgerEntry): void {
    const { folder, boot, host } = this.#options;
    const record: LedgerRecord = { boot, host, ...entry };
    this.#attempt(() => {
      mkdirSync(folder, { recursive: true, mode: PRIVATE_FOLDER });
      const file = join(folder, name);
      // A host that is killed in the middle of this leaves the old record as it was.
      writeFileSync(`${file}.new`, JSON.stringify(record), { mode: PRIVATE_FILE });
      renameSync(`${file}.new`, file);
    });
  }

  remove(name: string): void {
    this.#attempt(() => rmSync(join(this.#options.folder, name), { force: true }));
  }

  /** Returns the records of hosts for which `isGone` holds. Removes files without a valid record. */
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
        this.#options.log(`the ledger cannot be read: ${error}`);
      return [];
    }
  }

  #read(name: string): LedgerRecord | undefined {
    try {
      const text = readFileSync(join(this.#options.folder, name), 'utf8');
      if (name.endsWith(EXTENSION)) return LedgerRecord.parse(JSON.parse(text));
    } catch (error) {
      this.#options.log(`a record of the ledger cannot be read: ${error}`);
    }
    return undefined;
  }

  /** Logs a failure instead of throwing it, since a terminal works without its record; a full disk is logged once. */
  #attempt(change: () => void): void {
    try {
      change();
      this.#isRefused = false;
    } catch (error) {
      if (!this.#isRefused) this.#options.log(`terminals cannot be recorded in the ledger: ${error}`);
      this.#isRefused = true;
    }
  }
}
