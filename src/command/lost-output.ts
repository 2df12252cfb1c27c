import type { Context } from './context.js';
import { CommandError, EXIT } from './exit-codes.js';

/**
 * Ends the command once its standard output takes nothing more. That reaches a verb at any time, also while it waits for
 * something else than to write, so what the verb must not leave behind is done here.
 */
export class LostOutput {
  readonly #context: Context;
  readonly #report: (error: unknown) => number;
  #ending: Promise<void> | undefined;

  /**
   * @param report - prints a failure, and returns the exit code
   * @param exit - ends the process
   */
  constructor(context: Context, report: (error: unknown) => number, exit: (code: number) => void) {
    this.#context = context;
    this.#report = report;
    // Each later write fails, too.
    context.stdout.on('error', (error) => {
      this.#ending ??= this.#codeOf(error).then(exit);
    });
  }

  /** Resolves if the output is not lost: otherwise the process ends, and nothing else may be said or closed meanwhile. */
  async none(): Promise<void> {
    await this.#ending;
  }

  async #codeOf(error: NodeJS.ErrnoException): Promise<number> {
    const { leave } = this.#context;
    await leave?.();
    // The program's own code is not known, so that 0 would claim too much.
    if (error.code === 'EPIPE') return leave ? EXIT.unread : EXIT.ok;
    const message = `Standard output cannot be written: ${error.message}`;
    return this.#report(new CommandError(leave ? EXIT.ownFailure : EXIT.failed, 'system', message));
  }
}
