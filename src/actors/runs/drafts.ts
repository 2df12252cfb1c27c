import type { Logger } from 'pino';
import { DomainError } from '../../contract/errors.js';
import type { Commands } from '../commands/commands.js';
import type { EngineEvent } from '../events.js';
import type { Terminals } from '../terminals.js';
import { BACK_KEY } from './line-keys.js';

export interface DraftsOptions {
  terminals: Pick<Terminals, 'press' | 'list'>;
  commands: Pick<Commands, 'standing'>;
  logger: Pick<Logger, 'warn'>;
}

/** Has shells put back what stood in their lines before a run, as soon as they show a prompt again. */
export class Drafts {
  readonly #options: DraftsOptions;

  constructor(options: DraftsOptions) {
    this.#options = options;
  }

  /** Those that a former service has left behind. */
  putBackAll(): void {
    for (const { id } of this.#options.terminals.list('running')) this.#putBack(id);
  }

  onEvent(event: EngineEvent): void {
    if (event.type !== 'mark') return;
    const { mark } = event;
    if (mark.kind === 'prompt') this.#putBack(event.id);
    // fish leaves a line that it has refused where it was.
    else if (mark.kind === 'over' && !mark.hasStarted && mark.how === 'prompt') this.#press(event.id);
  }

  #putBack(id: string): void {
    const { hasDraft, atPrompt } = this.#options.commands.standing(id);
    if (hasDraft && atPrompt) this.#press(id);
  }

  #press(id: string): void {
    const { terminals, logger } = this.#options;
    terminals.press(id, BACK_KEY).catch((err: unknown) => {
      if (err instanceof DomainError && err.code === 'terminal-not-found') return;
      // The shell keeps it until the key comes, at the latest after the next run.
      logger.warn({ err, terminal: id }, 'a half-typed line could not be put back');
    });
  }
}
