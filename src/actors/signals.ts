import { DomainError } from '../contract/errors.js';
import { SIGNAL_NAMES, signalNamed } from '../contract/signal.js';
import type { Commands } from './commands/commands.js';
import type { ProcessTable } from './processes/process-table.js';
import { programName, readingShell } from './runs/posix-shell.js';
import type { Terminals } from './terminals.js';

export interface SignalsOptions {
  terminals: Pick<Terminals, 'startOf' | 'signal'>;
  commands: Pick<Commands, 'shellStatus'>;
  table: Pick<ProcessTable, 'details'>;
}

/** Characters of an unknown name that the error message repeats. */
const SHOWN_CHARS = 40;

/** Sends signals to the jobs in the foreground of terminals. */
export class Signals {
  readonly #options: SignalsOptions;

  constructor(options: SignalsOptions) {
    this.#options = options;
  }

  /**
   * Sends the signal of this name to the job in the foreground, and resolves with its full name. A shell that reads
   * commands does not count as a job, so that a signal for a job that has just ended does not end the shell. Only SIGINT
   * reaches a shell, while it works on a command of its own, such as a loop. Throws unknown-signal, terminal-not-found,
   * no-foreground-job, forbidden, unavailable, outcome-unknown.
   */
  async signal(id: string, name: string): Promise<NodeJS.Signals> {
    const signal = signalNamed(name);
    if (signal === undefined) {
      const shown = JSON.stringify(name.slice(0, SHOWN_CHARS));
      throw new DomainError('unknown-signal', `Unknown signal: ${shown}. Known signals: ${SIGNAL_NAMES}`);
    }
    const isShell = await this.#isShell(id);
    const isInterrupt = signal === 'SIGINT' && this.#options.commands.shellStatus(id).running !== null;
    await this.#options.terminals.signal(id, { signal, sparesProgram: isShell && !isInterrupt });
    return signal;
  }

  /** Returns whether the terminal's own program is, by now, a shell that reads commands from the terminal. */
  async #isShell(id: string): Promise<boolean> {
    const { pid, meta } = this.#options.terminals.startOf(id);
    const { shell } = meta.marks;
    const { argv = [] } = (await this.#options.table.details([pid])).get(pid) ?? {};
    // Where the table has no command lines, a shell that was made to report its commands counts as there still.
    if (argv.length === 0) return shell !== null;
    return readingShell(argv) !== undefined || programName(argv[0]!) === shell;
  }
}
