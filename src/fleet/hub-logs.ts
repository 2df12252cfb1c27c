import { readdir, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

/** Time between two looks. The server logs each message that it refuses, so a machine can make it write several MiB a second. */
const LOOK_MS = 2_000;
/** Earlier logs that are kept, beside the log that is being written. */
const KEPT = 2;

/**
 * Deletes the earlier logs of the hub's server. The server begins another log after 1 MiB, and keeps all of them: up to
 * 2.9 it has no setting for their number.
 */
export class HubLogs {
  readonly #log: string;
  readonly #onFault: (error: unknown) => void;
  #timer: NodeJS.Timeout | undefined;

  /** @param log - path of the log that is being written */
  constructor(log: string, onFault: (error: unknown) => void) {
    this.#log = log;
    this.#onFault = onFault;
  }

  start(): void {
    this.#timer ??= setInterval(() => void this.#look().catch(this.#onFault), LOOK_MS).unref();
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  async #look(): Promise<void> {
    const folder = dirname(this.#log);
    const begin = `${basename(this.#log)}.`;
    // The server appends the time, so the order of the names is that of the logs.
    const earlier = (await readdir(folder)).filter((name) => name.startsWith(begin)).sort();
    for (const name of earlier.slice(0, -KEPT)) await rm(join(folder, name), { force: true });
  }
}
