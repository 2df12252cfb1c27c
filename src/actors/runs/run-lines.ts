import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { MAX_CLAIMS } from '../../contract/limits.js';

/** File that a shell reads: the id of a run, a line feed, and the text of the command. */
const LINE = 'line';

/** Content of claims that the service creates; a shell leaves its claims empty. */
const GIVEN_UP = 'given up\n';

/**
 * Hands the lines of runs to shells through files. A claim is a file with the run's id as its name, created
 * exclusively. The first to create it, the shell or the service, decides once and for all whether the shell runs the
 * line.
 */
export class RunLines {
  readonly #folderOf: (terminalId: string) => string;
  /** The most claims that the folder of a terminal may have; absent if not looked at yet. */
  readonly #claims = new Map<string, number>();

  /** @param folderOf - returns the folder that a terminal's shell was told to look in */
  constructor(folderOf: (terminalId: string) => string) {
    this.#folderOf = folderOf;
  }

  /** Writes the line where the shell finds it. The shell may take it from this moment on. */
  async write(terminalId: string, runId: string, text: string): Promise<void> {
    const folder = this.#folderOf(terminalId);
    await writeIn(folder, async () => {
      // To list the folder for each line would take ever longer.
      const known = this.#claims.get(terminalId) ?? MAX_CLAIMS;
      const claims = known < MAX_CLAIMS ? known : await this.#dropClaims(folder, runId);
      this.#claims.set(terminalId, claims + 1);
      const line = join(folder, LINE);
      await writeFile(`${line}.new`, `${runId}\n${text}`, { mode: 0o600 });
      await rename(`${line}.new`, line);
    });
  }

  /** Withdraws the line. Resolves with false if the shell has taken it already: the line runs, or has run. */
  async giveUp(terminalId: string, runId: string): Promise<boolean> {
    const folder = this.#folderOf(terminalId);
    try {
      await writeIn(folder, () => writeFile(join(folder, runId), GIVEN_UP, { mode: 0o600, flag: 'wx' }));
      return true;
    } catch (error) {
      if (codeOf(error) !== 'EEXIST') throw error;
      return !(await this.isTaken(terminalId, runId));
    }
  }

  /** Resolves with whether the shell has taken the line. */
  async isTaken(terminalId: string, runId: string): Promise<boolean> {
    try {
      return (await readFile(join(this.#folderOf(terminalId), runId), 'utf8')) !== GIVEN_UP;
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
    const claims = (await readdir(folder)).filter((name) => !name.startsWith(LINE) && name !== runId);
    if (claims.length < MAX_CLAIMS) return claims.length;
    await rm(join(folder, LINE), { force: true });
    await Promise.all(claims.map((name) => rm(join(folder, name), { force: true })));
    return 0;
  }
}

/** Writes into a folder, and makes it if there is none. */
async function writeIn(folder: string, write: () => Promise<void>): Promise<void> {
  try {
    await write();
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error;
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await write();
  }
}

function codeOf(error: unknown): unknown {
  return (error as NodeJS.ErrnoException).code;
}
