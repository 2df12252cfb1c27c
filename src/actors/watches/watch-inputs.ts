import type { Watch, WatchAction } from '../../contract/watch.js';
import type { KeptInput } from './kept-watch.js';

export type InputAction = Extract<WatchAction, { type: 'input' }>;
export type WaitingReason = Watch['waitingInput'][number]['reason'];

/** Whether a line may be typed into a terminal: into an agent or a shell; or why not yet. */
export type Readiness = { ready: 'agent' | 'shell' } | { reason: WaitingReason };

export interface WatchInputsOptions {
  /** Looks at a terminal, for WATCH_INPUT_LOOK_MS at most. Rejects with the signal's reason. */
  readiness: (terminalId: string, signal: AbortSignal) => Promise<Readiness>;
  /** Returns whether somebody has typed something there and not submitted it. */
  hasDraft: (terminalId: string) => boolean;
  /**
   * Types a line and submits it, at most once under the same `once`. Resolves with whether it was typed: not where
   * somebody else has a lease or types, or the agent is not idle any more.
   */
  type: (terminalId: string, text: string, into: 'agent' | 'shell', once: string) => Promise<boolean>;
}

/** A line to type. */
export interface DueInput {
  watchId: string;
  action: number;
  target: InputAction;
  /** Returns the present matches for the line; undefined if it is not to be typed any more. */
  present: () => KeptInput | undefined;
}

/**
 * Types the lines of watches into terminals that are idle: an agent that has no question and does not work, or a shell at
 * its prompt with nothing typed behind it.
 */
export class WatchInputs {
  readonly #options: WatchInputsOptions;
  /** Why lines wait, by watch and action. */
  readonly #reasons = new Map<string, WaitingReason>();

  constructor(options: WatchInputsOptions) {
    this.#options = options;
  }

  reasonOf(watchId: string, action: number): WaitingReason {
    return this.#reasons.get(`${watchId} ${action}`) ?? 'busy';
  }

  /**
   * Types a line if its terminal is idle; resolves with the line's matches, or undefined if it was not typed.
   * Rejects if typing failed.
   */
  async tryToType(due: DueInput, signal: AbortSignal): Promise<KeptInput | undefined> {
    const { watchId, action, target, present } = due;
    const key = `${watchId} ${action}`;
    const { terminalId } = target;
    const { hasDraft } = this.#options;
    const readiness = await this.#options.readiness(terminalId, signal);
    if ('reason' in readiness || hasDraft(terminalId)) {
      this.#reasons.set(key, 'reason' in readiness ? readiness.reason : 'busy');
      return undefined;
    }
    // More may have matched during the look.
    const input = present();
    if (!input) return undefined;
    const { matchedIn, count, once } = input;
    const text = target.text.replaceAll('{terminalId}', matchedIn).replaceAll('{count}', String(count));
    if (!(await this.#options.type(terminalId, text, readiness.ready, once))) {
      this.#reasons.set(key, 'busy');
      return undefined;
    }
    this.#reasons.delete(key);
    return input;
  }
}
