import type { Logger } from 'pino';
import type { HostConnection } from '../workers/pty-host/host-client.js';
import { type RestartBudget, spendRestart } from './kernel/restart-budget.js';
import type { Shards } from './shards.js';
import type { ShardsOptions } from './shards-options.js';

/** The pty host and the shards that read from it: they begin and end together. */
export interface Parts {
  host: HostConnection;
  shards: Shards;
}

export interface EngineOptions extends Pick<ShardsOptions, 'onStream' | 'onRehomed' | 'onGaveUp'> {
  connectHost: () => Promise<HostConnection>;
  startShards: (callbacks: Pick<ShardsOptions, 'onStream' | 'onRehomed' | 'onGaveUp'>) => Shards;
  logger: Logger;
  /** Both are there: takes in the terminals that live with the host. */
  onStarted: (parts: Parts) => Promise<void>;
  /** The connection to the pty host is gone, and with it every program. */
  onHostLost: () => void;
}

const HOST_RESTART_BUDGET: RestartBudget = { restarts: 3, withinMs: 60_000 };

/** Supervises the pty host and, with it, the shards: all for one, since shards without a host are nothing. */
export class Engine {
  readonly #options: EngineOptions;
  #parts: Promise<Parts>;
  #hostRestarts: number[] = [];
  #stopped = false;

  private constructor(options: EngineOptions) {
    this.#options = options;
    this.#parts = this.#startParts();
  }

  /** Resolves once the pty host answers; rejects with the reason when it cannot be had. */
  static async start(options: EngineOptions): Promise<Engine> {
    const engine = new Engine(options);
    await engine.#parts;
    return engine;
  }

  /** The parts of this moment; while they are being replaced it waits. */
  get parts(): Promise<Parts> {
    return this.#parts;
  }

  /** Closes every terminal and ends the pty host. */
  async shutdown(): Promise<void> {
    this.#stopped = true;
    const { host, shards } = await this.#parts;
    // The last lines of every terminal are for the search index.
    await shards.settle();
    await Promise.all([host.shutdown(), shards.stop()]);
  }

  async #startParts(): Promise<Parts> {
    const { connectHost, startShards, onStarted } = this.#options;
    const host = await connectHost();
    const parts = { host, shards: startShards(this.#options) };
    await onStarted(parts);
    void host.closed.then(() => this.#onHostClosed(parts.shards));
    return parts;
  }

  #onHostClosed(shards: Shards): void {
    if (this.#stopped) return;
    const reason = new Error('the pty host closed the connection');
    const restarts = spendRestart(this.#hostRestarts, performance.now(), HOST_RESTART_BUDGET);
    if (!restarts) {
      this.#options.onGaveUp(reason);
      return;
    }
    this.#hostRestarts = restarts;
    this.#options.logger.error(
      { err: reason },
      'the pty host is gone and its terminals with it; starting another',
    );
    this.#options.onHostLost();
    this.#parts = shards.stop().then(() => this.#startParts());
    this.#parts.catch(this.#options.onGaveUp);
  }
}
