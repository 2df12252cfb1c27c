import type { Parts } from './pty-host-supervisor.js';
import type { TerminalEvents } from './terminal-events.js';

/** Terminals that are being closed: out of the registry, and still with their shards. */
export class Leaving {
  readonly #parts: () => Promise<Parts>;
  readonly #events: Pick<TerminalEvents, 'emit'>;
  readonly #leaving = new Map<string, Promise<Parts['host']>>();

  /** @param parts - resolves with the present pty host and shards */
  constructor(parts: () => Promise<Parts>, events: Pick<TerminalEvents, 'emit'>) {
    this.#parts = parts;
    this.#events = events;
  }

  /**
   * Takes a terminal from its shard, and resolves with the pty host, which is to end it. Only then is the terminal
   * reported as removed: if the service ends before, the next service finds the terminal, and no client believes that
   * it is gone.
   */
  async take(id: string, reason: 'closed' | 'expired'): Promise<Parts['host']> {
    const taken = this.#take(id, reason);
    this.#leaving.set(id, taken);
    try {
      return await taken;
    } finally {
      this.#leaving.delete(id);
    }
  }

  /** Returns whether a terminal is being closed. The pty host lists it until its end is ordered. */
  has(id: string): boolean {
    return this.#leaving.has(id);
  }

  /** Resolves once the shards have let go of all of them, or are too late for that. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.#leaving.values());
  }

  async #take(id: string, reason: 'closed' | 'expired'): Promise<Parts['host']> {
    await (await this.#parts()).shards.close(id);
    // Asked again, since the host that follows a host that was killed meanwhile lists the terminal, too.
    const { host } = await this.#parts();
    this.#events.emit({ type: 'removed', id, reason });
    return host;
  }
}
