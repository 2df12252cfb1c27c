import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { MAX_CLAIMS } from '../../contract/limits.js';

/** File that a shell reads: the id of a run, a line feed, and the text of its command. */
const LINE = 'line';

/** What the service writes into a claim of its own; a shell leaves its claims empty. */
const GIVEN_UP = 'given up\n';

/**
 * The lines of runs, handed to shells by way of files. Whoever creates the claim of a run first, its shell or the
 * service, decides once and for all whether the shell runs it: a claim is a file, created exclusively, by the run's id.
 */
export class RunLines {
  readonly #folderOf: (terminalId: string) => string;

  /** @param folderOf - the folder that a terminal's shell was told of */
  constructor(folderOf: (terminalId: string) => string) {
    this.#folderOf = folderOf;
  }

  /** Lays the line out. From now on its shell may take it. */
  async write(terminalId: string, runId: string, text: string): Promise<void> {
    const folder = this.#folderOf(terminalId);
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await this.#dropClaims(folder, runId);
    const line = join(folder, LINE);
    await writeFile(`${line}.new`, `${runId}\n${text}`, { mode: 0o600 });
    await rename(`${line}.new`, line);
  }

  /** Gives the line up. Resolves with false where the shell has taken it: it runs, or has run. */
  async giveUp(terminalId: string, runId: string): Promise<boolean> {
    const folder = this.#folderOf(terminalId);
    await mkdir(folder, { recursive: true, mode: 0o700 });
    try {
      await writeFile(join(folder, runId), GIVEN_UP, { mode: 0o600, flag: 'wx' });
      return true;
    } catch (error) {
      if (codeOf(error) !== 'EEXIST') throw error;
      return !(await this.isTaken(terminalId, runId));
    }
  }

  /** Whether its shell has taken the line. */
  async isTaken(terminalId: string, runId: string): Promise<boolean> {
    try {
      return (await readFile(join(this.#folderOf(terminalId), runId), 'utf8')) !== GIVEN_UP;
    } catch (error) {
      if (codeOf(error) !== 'ENOENT') throw error;
      return false;
    }
  }

  /** Nothing is kept of a terminal any more. */
  async forget(terminalId: string): Promise<void> {
    await rm(this.#folderOf(terminalId), { recursive: true, force: true });
  }

  /** Of long lists of claims, those go that nobody asks for any more; the runs of a terminal take turns. */
  async #dropClaims(folder: string, runId: string): Promise<void> {
    const claims = (await readdir(folder)).filter((name) => !name.startsWith(LINE) && name !== runId);
    if (claims.length < MAX_CLAIMS) return;
    await rm(join(folder, LINE), { force: true });
    await Promise.all(claims.map((name) => rm(join(folder, name), { force: true })));
  }
}

function codeOf(error: unknown): unknown {
  return (error as NodeJS.ErrnoException).code;
}
