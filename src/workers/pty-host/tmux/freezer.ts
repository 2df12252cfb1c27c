import { spawn } from 'node:child_process';

/** Seconds after which a process goes on in any case. */
const RESCUE_SECONDS = 1;

export interface FreezerOptions {
  /** Of the process; null where it has ended, or is not known to run. */
  pid(): number | null;
  log(message: string): void;
}

/** Has a process stand still (SIGSTOP) for a moment; it goes on also where this one is killed meanwhile. */
export class Freezer {
  readonly #options: FreezerOptions;
  #frozen: number | null = null;

  constructor(options: FreezerOptions) {
    this.#options = options;
  }

  /** Not before a shell runs that lets it go on, which outlives this process; never, where none can be started. */
  freeze(): void {
    const pid = this.#options.pid();
    if (pid === null) return;
    this.#frozen = pid;
    const rescue = spawn('/bin/sh', ['-c', `sleep ${RESCUE_SECONDS}; kill -CONT ${pid}`], {
      stdio: 'ignore',
      detached: true,
    });
    rescue.unref();
    rescue.on('error', ({ message }) => this.#options.log(`process ${pid} is not stopped: ${message}`));
    rescue.on('spawn', () => {
      if (this.#frozen === pid) signal(pid, 'SIGSTOP');
    });
  }

  thaw(): void {
    const pid = this.#frozen;
    this.#frozen = null;
    if (pid !== null) signal(pid, 'SIGCONT');
  }
}

/** Nothing happens where it has ended. */
function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
