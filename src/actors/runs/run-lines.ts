import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { DomainError } from '../../contract/errors.js';
import { MAX_CLAIMS } from '../../contract/limits.js';

/** File that a shell reads: the id of a run, a line feed, and the text of the command. */
const LINE = 'line';

/** Content of claims that the service creates; a shell leaves its claims empty. */
const GIVEN_UP = 'given up\n';

/** Codes of the system where a disk, or the user's share of it, has no room. */
const NO_ROOM: ReadonlySet<unknown> = new Set(['ENOSPC', 'EDQUOT']);

/**
 * Hands the lines of runs to shells through files. A claim is a file with the run's id as its name, created
 * exclusively. The first to create it, the shell or the service, decides once and for all whether the shell runs the
 * line.
 *
 * Lines are written, withdrawn and looked up synchronously: each is a few short steps, and a thread of Node's pool would
 * take longer to be woken for each step than the step takes.
 */
export class RunLines {
  readonly #folderOf: (terminalId: string) => string;
  /** The most claims that the folder of a terminal may have; absent if not looked at yet. */
  readonly #claims = new Map<string, number>();

  /** @param folderOf - returns the folder in which a terminal's shell looks */
  constructor(folderOf: (terminalId: string) => string) {
    this.#folderOf = folderOf;
  }

  /**
   * Writes the line where the shell finds it. The shell may take it from this moment on. Rejects with storage-full, and
   * with the errors of the file system; the shell then finds no new line.
   */
  async write(terminalId: string, runId: string, text: string): Promise<void> {
    const folder = this.#folderOf(terminalId);
    // Listing the folder for each line would take longer and longer.
    const known = this.#claims.get(terminalId) ?? MAX_CLAIMS;
    const claims = known < MAX_CLAIMS ? known : await this.#dropClaims(folder, runId);
    this.#claims.set(terminalId, claims + 1);
    const line = join(folder, LINE);
    try {
      writeIn(folder, () => {
        writeFileSync(`${line}.new`, `${runId}\n${text}`, { mode: 0o600 });
        // ext4 writes a file to the disk at once when it takes the place of another one.
        rmSync(line, { force: true });
        renameSync(`${line}.new`, line);
      });
    } catch (cause) {
      if (!NO_ROOM.has(codeOf(cause))) throw cause;
      throw new DomainError('storage-full', 'The disk is full: the shell cannot be given the command', {
        cause,
      });
    }
  }

  /** Withdraws the line. Returns false if the shell has taken it already: the line runs, or has run. */
  giveUp(terminalId: string, runId: string): boolean {
    const folder = this.#folderOf(terminalId);
    try {
      writeIn(folder, () => writeFileSync(join(folder, runId), GIVEN_UP, { mode: 0o600, flag: 'wx' }));
      return true;
    } catch (error) {
      if (codeOf(error) !== 'EEXIST') throw error;
      return !this.isTaken(terminalId, runId);
    }
  }

  /** Returns whether the shell has taken the line. */
  isTaken(terminalId: string, runId: string): boolean {
    try {
      return readFileSync(join(this.#folderOf(terminalId), runId), 'utf8') !== GIVEN_UP;
    } catch (error) {
      if (codeOf(error) !== 'ENOENT') throw error;
      return false;
    }
  }

  /** Removes all files of a terminal. */
  async forget(terminalId: string): Promise<void> {
    this.#claims.delete(terminalId);
    await rm(this.#folderOf(terminalId), { recursive: true, force: true });
  }

  /**
   * Removes old claims once there are MAX_CLAIMS of them. Nobody asks for them by then, since the runs of a terminal
   * take turns. Resolves with how many are left.
   */
  async #dropClaims(folder: string, runId: string): Promise<number> {
    const claims = (await namesIn(folder)).filter((name) => !name.startsWith(LINE) && name !== runId);
    if (claims.length < MAX_CLAIMS) return claims.length;
    await rm(join(folder, LINE), { force: true });
    await Promise.all(claims.map((name) => rm(join(folder, name), { force: true })));
    return 0;
  }
}

/** Writes into a folder, and makes it if there is none. */
function writeIn(folder: string, write: () => void): void {
  try {
    write();
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error;
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    write();
  }
}

/** Resolves with the names in a folder, none if there is no folder. */
async function namesIn(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error;
    return [];
  }
}

function codeOf(error: unknown): unknown {
  return (error as NodeJS.ErrnoException).code;
}
