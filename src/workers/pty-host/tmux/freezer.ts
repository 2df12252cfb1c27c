import { spawn } from 'node:child_process';

/** Seconds after which a frozen process continues in any case. */
const RESCUE_SECONDS = 1;

export interface FreezerOptions {
  /** Returns the pid of the process; null if it has ended or is not known to run. */
  pid(): number | null;
  log(message: string): void;
}

/** Freezes a process (SIGSTOP) for a moment. The process continues even if this one is killed meanwhile. */
export class Freezer {
  readonly #options: FreezerOptions;
  #frozen: number | null = null;

  constructor(options: FreezerOptions) {
    this.#options = options;
  }

  /** Freezes the process once a shell runs that will thaw it and outlives this process; never, if none can start. */
  freeze(): void {
    const pid = this.#options.pid();
    if (pid === null) return;
    this.#frozen = pid;
    const rescue = spawn('/bin/sh', ['-c', `sleep ${RESCUE_SECONDS}; kill -CONT ${pid}`], {
      stdio: 'ignore',
      detached: true,
    });
    rescue.unref();
    rescue.on('error', ({ message }) => this.#options.log(`process ${pid} could not be stopped: ${message}`));
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

/** Sends a signal; does nothing if the process has ended. */
export function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
