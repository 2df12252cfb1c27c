import type { Parts } from './pty-host-supervisor.js';
import type { TerminalEvents } from './terminal-events.js';

/** Terminals that are being closed: out of the registry, and still with their shards. */
export class Leaving {
  readonly #parts: () => Promise<Parts>;
  readonly #events: Pick<TerminalEvents, 'emit'>;
  readonly #waiting = new Set<Promise<void>>();

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
    const { host, shards } = await this.#parts();
    const left = shards.close(id);
    this.#waiting.add(left);
    await left;
    this.#waiting.delete(left);
    this.#events.emit({ type: 'removed', id, reason });
    return host;
  }

  /** Resolves once the shards have let go of all of them, or are too late for that. */
  async settled(): Promise<void> {
    await Promise.all(this.#waiting);
  }
}
