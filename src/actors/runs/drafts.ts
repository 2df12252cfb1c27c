import type { Logger } from 'pino';
import { DomainError } from '../../contract/errors.js';
import { MAX_WAIT_MS } from '../../contract/limits.js';
import type { EngineEvent } from '../events.js';
import type { KeyedMutex } from '../keyed-mutex.js';
import type { Terminals } from '../terminals.js';
import { Scope } from '../waits/scope.js';
import { isAtRest, type ShellParts, shellState, untilShell } from '../waits/shell-rest.js';
import { ShellWatch } from '../waits/shell-watch.js';
import { BACK_KEY } from './line-keys.js';

export interface DraftsOptions {
  parts: ShellParts;
  terminals: Pick<Terminals, 'press' | 'list'>;
  /** The turns of the runs of each terminal. */
  turns: KeyedMutex;
  /** Fires when the service stops. */
  stopping: AbortSignal;
  logger: Pick<Logger, 'warn'>;
}

/**
 * Restores the half-typed lines that runs displaced, once their shells are at rest at a prompt. Elsewhere the key would
 * become input of a command: of a line that was typed ahead, which the shell reads before the key, or of the next run, whose
 * own key is already on its way.
 */
export class Drafts {
  readonly #options: DraftsOptions;
  /** Terminals whose shells are waited for. */
  readonly #waiting = new Set<string>();

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
    const { hasDraft, atPrompt } = this.#options.parts.commands.shellStatus(id);
    if (hasDraft && atPrompt) this.#press(id);
  }

  #press(id: string): void {
    if (this.#waiting.has(id)) return;
    this.#waiting.add(id);
    this.#pressAtRest(id)
      .catch((err: unknown) => {
        if (this.#options.stopping.aborted) return;
        if (err instanceof DomainError && err.code === 'terminal-not-found') return;
        // The shell keeps the draft until the key arrives. The key is sent again at its next prompt, at the latest after
        // the next run.
        this.#options.logger.warn({ err, terminal: id }, 'a half-typed line could not be put back');
      })
      .finally(() => this.#waiting.delete(id));
  }

  async #pressAtRest(id: string): Promise<void> {
    const { parts, terminals, turns, stopping } = this.#options;
    const isReady = () => isAtRest(shellState(parts, id));
    for (let isPressed = false; !isPressed; ) {
      await this.#untilAtRest(id);
      // The shell waits for input, and no run is about to press its key.
      isPressed = await turns.take(id, stopping, () => terminals.press(id, BACK_KEY, { isReady }));
    }
  }

  async #untilAtRest(id: string): Promise<void> {
    const { parts, stopping } = this.#options;
    const scope = new Scope(MAX_WAIT_MS, stopping);
    const watch = new ShellWatch(parts.commands, id, scope.signal);
    try {
      await scope.race(untilShell(parts, id, watch, isAtRest, scope));
    } finally {
      scope.end();
      watch.close();
    }
  }
}
