import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import { HOST_START_DELAYS_MS } from '../contract/limits.js';
import type { HostConnection } from '../workers/pty-host/client/host-client.js';
import { HostBusy, HostProtocolMismatch } from '../workers/pty-host/client/host-errors.js';
import { type RestartBudget, spendRestart } from './kernel/restart-budget.js';
import type { Shards } from './shards.js';
import type { ShardsOptions } from './shards-options.js';

/** The pty host and the shards that read from it; they start and end together. */
export interface Parts {
  host: HostConnection;
  shards: Shards;
}

export interface EngineOptions extends Pick<ShardsOptions, 'onStream' | 'onRehomed' | 'onGaveUp'> {
  connectHost: () => Promise<HostConnection>;
  startShards: (callbacks: Pick<ShardsOptions, 'onStream' | 'onRehomed' | 'onGaveUp'>) => Shards;
  logger: Logger;
  /** Called when both run; adopts the terminals that live in the host. */
  onStarted: (parts: Parts) => Promise<void>;
  /** Called when the connection to the pty host is lost, and every program with it. */
  onHostLost: () => void;
  /** For tests: see {@link HOST_START_DELAYS_MS}. */
  startDelaysMs?: readonly number[];
}

const HOST_RESTART_BUDGET: RestartBudget = { restarts: 3, withinMs: 60_000 };

/**
 * Supervises the pty host and the shards. All of them are restarted together, since shards are useless without a host.
 */
export class PtyHostSupervisor {
  readonly #options: EngineOptions;
  #parts: Promise<Parts>;
  #hostRestarts: number[] = [];
  readonly #stopping = new AbortController();

  private constructor(options: EngineOptions) {
    this.#options = options;
    this.#parts = this.#startParts();
  }

  /**
   * Connects to the pty host and starts the shards. Resolves once the host answers; rejects with the reason if it
   * cannot be reached.
   */
  static async start(options: EngineOptions): Promise<PtyHostSupervisor> {
    const engine = new PtyHostSupervisor(options);
    await engine.#parts;
    return engine;
  }

  /** Resolves with the current host and shards, or with the next ones while they are being replaced. */
  get parts(): Promise<Parts> {
    return this.#parts;
  }

  /** Closes every terminal and ends the pty host. */
  async shutdown(): Promise<void> {
    this.#stopping.abort();
    const parts = await this.#parts.catch(() => undefined);
    // The host has died, and no other has started.
    if (!parts) return;
    const { host, shards } = parts;
    // The last lines of every terminal have to reach the search index.
    await shards.settle();
    await Promise.all([host.shutdown(), shards.stop()]);
  }

  async #startParts(): Promise<Parts> {
    const { connectHost, startShards, onStarted } = this.#options;
    const host = await connectHost();
    const parts = { host, shards: startShards(this.#options) };
    try {
      await onStarted(parts);
    } catch (error) {
      host.close();
      await parts.shards.stop();
      throw error;
    }
    void host.closed.then(() => this.#onHostClosed(parts.shards));
    return parts;
  }

  /** Starts the parts that replace those of a dead host. */
  async #startAgain(): Promise<Parts> {
    const { logger, startDelaysMs = HOST_START_DELAYS_MS } = this.#options;
    for (const delayMs of startDelaysMs) {
      try {
        return await this.#startParts();
      } catch (err) {
        if (err instanceof HostBusy || err instanceof HostProtocolMismatch) throw err;
        logger.error({ err, delayMs }, 'another pty host could not be started; it is tried again');
      }
      await delay(delayMs, undefined, { signal: this.#stopping.signal });
    }
    return this.#startParts();
  }

  #onHostClosed(shards: Shards): void {
    if (this.#stopping.signal.aborted) return;
    const reason = new Error('the pty host closed the connection');
    const restarts = spendRestart(this.#hostRestarts, performance.now(), HOST_RESTART_BUDGET);
    if (!restarts) {
      this.#options.onGaveUp(reason);
      return;
    }
    this.#hostRestarts = restarts;
    this.#options.logger.error(
      { err: reason },
      'the pty host has died, and its terminals with it; starting another pty host',
    );
    this.#options.onHostLost();
    this.#parts = shards.stop().then(() => this.#startAgain());
    this.#parts.catch((error: Error) => {
      if (!this.#stopping.signal.aborted) this.#options.onGaveUp(error);
    });
  }
}
