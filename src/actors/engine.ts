import type { Logger } from 'pino';
import type { HostConnection } from '../workers/pty-host/host-client.js';
import type { StreamMessage } from '../workers/shard/protocol.js';
import { type RestartBudget, spendRestart } from './kernel/restart-budget.js';
import type { Shards } from './shards.js';

/** The pty host and the shards that read from it: they begin and end together. */
export interface Parts {
  host: HostConnection;
  shards: Shards;
}

export interface EngineOptions {
  connectHost: () => Promise<HostConnection>;
  startShards: (callbacks: {
    onStream: (message: StreamMessage) => void;
    onRehomed: (ids: string[]) => void;
    onGaveUp: (reason: Error) => void;
  }) => Shards;
  logger: Logger;
  onStream: (message: StreamMessage) => void;
  onRehomed: (ids: string[]) => void;
  /** The pty host is gone, and every terminal with it. */
  onHostLost: () => void;
  /** Something died too often to be started again: the service cannot go on. */
  onGaveUp: (reason: Error) => void;
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

  /** Lets the terminals live on without this service. */
  async detach(): Promise<void> {
    const { host, shards } = await this.#stopSupervising();
    await shards.stop();
    host.close();
  }

  /** Closes every terminal and ends the pty host. */
  async shutdown(): Promise<void> {
    const { host, shards } = await this.#stopSupervising();
    await Promise.all([host.shutdown(), shards.stop()]);
  }

  #stopSupervising(): Promise<Parts> {
    this.#stopped = true;
    return this.#parts;
  }

  async #startParts(): Promise<Parts> {
    const { connectHost, startShards, onStream, onRehomed, onGaveUp } = this.#options;
    const host = await connectHost();
    const shards = startShards({ onStream, onRehomed, onGaveUp });
    void host.closed.then(() => this.#onHostClosed(shards));
    return { host, shards };
  }

  #onHostClosed(shards: Shards): void {
    if (this.#stopped) return;
    const reason = new Error('the pty host closed the connection');
    const restarts = spendRestart(this.#hostRestarts, Date.now(), HOST_RESTART_BUDGET);
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
