import type { TerminalSize } from '../../contract/terminal.js';
import { KeyedMutex } from '../keyed-mutex.js';
import type { Terminals } from '../terminals.js';
import { retryAcrossShardRestart } from '../waits/shard-restart.js';
import type { WantedSize } from './leadership.js';

/** Sizes planned for one terminal. */
interface Plan {
  /** The size that the API has set last; undefined until the first client leads. */
  base: TerminalSize | undefined;
  /** The size that attached clients last asked for. */
  wanted: WantedSize;
  /** Turns that have begun or wait. */
  turns: number;
}

export interface TerminalSizesOptions {
  terminals: Pick<Terminals, 'resize' | 'size' | 'amend' | 'startOf'>;
  /** Returns whether clients are attached to the terminal. */
  isAttached: (id: string) => boolean;
  /** Fires when the service stops: from then on no size is set. */
  stopping: AbortSignal;
}

/**
 * Sets the sizes of terminals in order, and remembers the size that the API has set while a terminal has the size of a
 * client. The API's size is kept with the terminal, so that a service that follows a killed one can give it back.
 */
export class TerminalSizes {
  readonly #options: TerminalSizesOptions;
  readonly #turns = new KeyedMutex();
  /** Terminals that clients are attached to, or whose size is being given back. */
  readonly #plans = new Map<string, Plan>();
  /** Sizes that the API is setting, of terminals without a plan. */
  readonly #asked = new Map<string, TerminalSize>();

  constructor(options: TerminalSizesOptions) {
    this.#options = options;
  }

  /** Sets the size as the API asks. Throws terminal-not-found, `unavailable`. */
  async setBase(id: string, size: TerminalSize): Promise<void> {
    const { terminals } = this.#options;
    const plan = this.#plans.get(id);
    if (!plan) {
      const { baseSize } = terminals.startOf(id).meta;
      this.#asked.set(id, size);
      const isLast = () => this.#asked.get(id) === size;
      await terminals.resize(id, size).finally(() => isLast() && this.#asked.delete(id));
      // Clients whose size could not be undone have left this base size.
      if (baseSize) await terminals.amend(id, { baseSize: undefined });
      return;
    }
    plan.base = size;
    await this.#inTurn(id, plan, async () => {
      if (terminals.startOf(id).meta.baseSize) await this.#keepBase(id, size);
      await terminals.resize(id, size);
    });
  }

  /**
   * Sets the size that attached clients ask for. Resolves once the terminal has it, or the size of a later call. Throws
   * terminal-not-found, `unavailable`.
   */
  async follow(id: string, wanted: WantedSize): Promise<void> {
    const { terminals, stopping } = this.#options;
    const plan = this.#plans.get(id) ?? { base: undefined, wanted, turns: 0 };
    this.#plans.set(id, plan);
    plan.wanted = wanted;
    await this.#inTurn(id, plan, async () => {
      // A later turn sets the newer size.
      if (plan.wanted !== wanted) return;
      plan.base ??= this.#asked.get(id) ?? terminals.startOf(id).meta.baseSize ?? terminals.size(id);
      const { base } = plan;
      if (wanted !== 'base') await this.#keepBase(id, base);
      const size = wanted === 'base' ? base : wanted;
      await retryAcrossShardRestart(stopping, () => terminals.resize(id, size));
      if (wanted === 'base' && plan.wanted === wanted) await terminals.amend(id, { baseSize: undefined });
    });
  }

  /** Resolves once the terminal has the size that was set last. */
  async settled(id: string): Promise<void> {
    await this.#turns.take(id, this.#options.stopping, async () => undefined);
  }

  /** Forgets a terminal, unless clients are attached to it or its size is being set. */
  release(id: string): void {
    if (this.#plans.get(id)?.turns === 0 && !this.#options.isAttached(id)) this.#plans.delete(id);
  }

  async #inTurn(id: string, plan: Plan, work: () => Promise<void>): Promise<void> {
    plan.turns++;
    try {
      await this.#turns.take(id, this.#options.stopping, work);
    } finally {
      plan.turns--;
      this.release(id);
    }
  }

  /** Keeps the base size with the terminal, before the terminal gets another. */
  async #keepBase(id: string, base: TerminalSize): Promise<void> {
    const { terminals } = this.#options;
    const kept = terminals.startOf(id).meta.baseSize;
    if (kept?.cols === base.cols && kept.rows === base.rows) return;
    await terminals.amend(id, { baseSize: base });
  }
}
