import { linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * The lock for starting the service of a user: a file with the number of the process that starts it, which is a command or
 * the service itself. A process that finds it taken waits for that service, and starts none.
 */
export class StartLock {
  readonly #path: string;
  #isOurs = false;

  /** @param dataFolder - the folder of the service's data; it must exist before the lock is taken */
  constructor(dataFolder: string) {
    this.#path = join(dataFolder, 'starting');
  }

  /** Takes the lock. Returns false if another process has it, and runs. */
  take(): boolean {
    const own = `${this.#path}.${process.pid}`;
    try {
      writeFileSync(own, String(process.pid), { mode: 0o600 });
      // A link fails if the lock exists, and never shows the lock without its content.
      linkSync(own, this.#path);
      this.#isOurs = true;
      return true;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    } finally {
      rmSync(own, { force: true });
    }
    if (this.isHeld()) return false;
    // Its process was killed during the start.
    this.drop();
    return this.take();
  }

  /** Whether another process that runs has the lock. */
  isHeld(): boolean {
    try {
      const pid = Number(readFileSync(this.#path, 'utf8'));
      // A loss of power may leave the file empty; 0 is not a process, and signals the own process group.
      if (!(pid > 0)) return false;
      // In a container the service has the same pid at each start.
      return pid !== process.pid && process.kill(pid, 0);
    } catch {
      return false;
    }
  }

  /** Gives the lock back, if this process has it. */
  release(): void {
    if (this.#isOurs) this.drop();
  }

  /** Removes the lock, whichever process has it. */
  drop(): void {
    this.#isOurs = false;
    rmSync(this.#path, { force: true });
  }
}
