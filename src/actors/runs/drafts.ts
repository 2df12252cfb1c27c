import type { Logger } from 'pino';
import { DomainError } from '../../contract/errors.js';
import type { Commands } from '../commands/commands.js';
import type { EngineEvent } from '../events.js';
import type { Terminals } from '../terminals.js';
import { BACK_KEY } from './line-keys.js';

export interface DraftsOptions {
  terminals: Pick<Terminals, 'press' | 'list'>;
  commands: Pick<Commands, 'shellStatus'>;
  logger: Pick<Logger, 'warn'>;
}

/** Restores the half-typed lines that runs displaced, as soon as their shells show a prompt again. */
export class Drafts {
  readonly #options: DraftsOptions;

  constructor(options: DraftsOptions) {
    this.#options = options;
  }

  /** Restores the half-typed lines that an earlier service process left displaced. */
  putBackAll(): void {
    for (const { id } of this.#options.terminals.list('running')) this.#putBack(id);
  }

  onEvent(event: EngineEvent): void {
    if (event.type !== 'mark') return;
    const { mark } = event;
    if (mark.kind === 'prompt') this.#putBack(event.id);
    // fish leaves a line that it refused in its editor. The key also removes that line, so press it even without a
    // draft.
    else if (mark.kind === 'over' && !mark.hasStarted && mark.how === 'prompt') this.#press(event.id);
  }

  #putBack(id: string): void {
    const { hasDraft, atPrompt } = this.#options.commands.shellStatus(id);
    if (hasDraft && atPrompt) this.#press(id);
  }

  #press(id: string): void {
    const { terminals, logger } = this.#options;
    terminals.press(id, BACK_KEY).catch((err: unknown) => {
      if (err instanceof DomainError && err.code === 'terminal-not-found') return;
      // The shell keeps the draft until the key arrives. The key is sent again at its next prompt, at the latest after
      // the next run.
      logger.warn({ err, terminal: id }, 'a half-typed line could not be put back');
    });
  }
}
