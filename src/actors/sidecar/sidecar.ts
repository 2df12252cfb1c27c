import { isDeepStrictEqual } from 'node:util';
import pLimit from 'p-limit';
import type { Logger } from 'pino';
import { DomainError } from '../../contract/errors.js';
import { SIDECAR_PORT_RETRY_MS, SIDECAR_RESTARTS } from '../../contract/limits.js';
import type { SidecarSettings } from '../../contract/sidecar.js';
import type { RestartBudget } from '../kernel/restart-budget.js';
import { Supervised } from '../kernel/supervised.js';
import { SidecarProcess, type SidecarProcessOptions } from './sidecar-process.js';

export interface SidecarOptions extends SidecarProcessOptions {
  logger: Logger;
  /** For tests: when a process that died is started again. */
  budget?: RestartBudget;
}

/**
 * Keeps the tool server running with the current settings. A process that dies is started again with them, on the port
 * that it had: at once, later after growing delays. After too many deaths it is given up and tried again now and then,
 * while the service continues without it. A process whose port another program has taken meanwhile stays alive and
 * waits for the port.
 */
export class Sidecar {
  readonly #options: SidecarOptions;
  #supervised: Supervised<SidecarProcess> | undefined;
  /** Settings that the process runs with, or will; with the real port once that is known. */
  #settings: SidecarSettings | undefined;
  /** URL of the current process, once it listens. */
  #url: string | undefined;
  #restarts = 0;
  /** The reason, already logged, why the tool server does not listen now. */
  #missing: 'its port' | 'its process' | undefined;
  #portRetry: NodeJS.Timeout | undefined;
  #stopped: Promise<void> | undefined;
  /** Handles changes and restarts one after the other. */
  readonly #inTurn = pLimit(1);

  constructor(options: SidecarOptions) {
    this.#options = options;
  }

  /** URL for MCP clients; undefined while nothing listens. */
  get url(): string | undefined {
    return this.#url;
  }

  /** Current settings, with the real port; undefined when the tool server is off. */
  get settings(): SidecarSettings | undefined {
    return this.#settings;
  }

  /** Number of restarts since the service started. */
  get restarts(): number {
    return this.#restarts;
  }

  /**
   * Runs the tool server with `settings` from now on, or stops it if they are undefined. A port of 0 is the present
   * port, or any free one. If the settings differ from the last ones, a server that is down is tried again at once.
   * Rejects with `port-taken`, in which case it runs as before; resolves without {@link url} if the process dies over
   * the settings more than once.
   */
  apply(settings: SidecarSettings | undefined): Promise<void> {
    return this.#inTurn(() => (settings ? this.#run(settings) : this.#end()));
  }

  /** Ends the tool server for good, even in the middle of a change. Resolves once the process is gone. */
  stop(): Promise<void> {
    this.#stopped ??= this.#end();
    return this.#stopped;
  }

  async #run(settings: SidecarSettings): Promise<void> {
    if (this.#stopped) throw new DomainError('shutting-down');
    const before = this.#settings;
    const listened = this.#url !== undefined;
    const wanted = { ...settings, port: settings.port === 0 ? (before?.port ?? 0) : settings.port };
    if (isDeepStrictEqual(wanted, before)) return;
    this.#settings = wanted;
    if (!this.#live) {
      this.#supervised?.stop();
      this.#supervised = this.#begin();
    }
    const refusal = await this.#tell();
    if (refusal === undefined) return;
    if (before === undefined) {
      await this.#end();
    } else if (!listened && wanted.port === before.port) {
      // The port was taken before this change, which is not to blame, so the new settings hold all the same.
      this.#awaitPort(refusal);
      return;
    } else {
      this.#settings = before;
      this.#resume();
    }
    throw refusal;
  }

  /** The current process; undefined while a restart is delayed, and if there is none. */
  get #live(): SidecarProcess | undefined {
    return this.#supervised?.isWaiting ? undefined : this.#supervised?.child;
  }

  /**
   * Sends the settings to the current process, or to a successor that starts at once. Resolves with the refusal if the
   * port is taken, and with undefined once the process listens or no process is left.
   */
  async #tell(): Promise<DomainError | undefined> {
    for (let child = this.#live; child && this.#settings; child = this.#live) {
      const settings = this.#settings;
      const report = await child.order(settings);
      // The process was stopped meanwhile, or died right after its report.
      if (this.#live !== child) continue;
      if (report && 'url' in report) {
        this.#settings = { ...settings, port: Number(new URL(report.url).port) };
        this.#listens(report.url);
        return undefined;
      }
      if (report?.isPortTaken) return new DomainError('port-taken', report.error);
      if (report) child.end(new Error(report.error));
      // The supervisor waits for `died`, too, and did so first: it has handled the death when this continues.
      await child.died;
    }
    return undefined;
  }

  #listens(url: string): void {
    this.#url = url;
    if (this.#missing) this.#options.logger.info('the tool server listens again');
    this.#missing = undefined;
  }

  #begin(): Supervised<SidecarProcess> {
    const { logger, budget = SIDECAR_RESTARTS } = this.#options;
    return new Supervised<SidecarProcess>({
      budget,
      start: () => new SidecarProcess(this.#options),
      died: (child) => child.died,
      ended: (err, delayMs) => {
        this.#url = undefined;
        logger.warn({ err, delayMs }, 'the tool server has ended; it is started again');
      },
      restarted: () => {
        this.#restarts++;
        this.#resume();
      },
      gaveUp: (err) => {
        this.#url = undefined;
        if (this.#missing !== 'its process') {
          logger.error({ err }, 'the tool server ends too often; the service continues without it');
        }
        this.#missing = 'its process';
      },
    });
  }

  /** Sends the current settings to a process that has not received any yet, or whose port was taken. */
  #resume(): void {
    this.#inTurn(async () => {
      if (this.#url !== undefined) return;
      const refusal = await this.#tell();
      if (refusal) this.#awaitPort(refusal);
    }).catch((err: unknown) =>
      this.#options.logger.error({ err }, 'the tool server did not receive its settings'),
    );
  }

  /** Tries again later to listen on a port that another program has taken, and may free again. */
  #awaitPort(refusal: DomainError): void {
    if (this.#missing !== 'its port') {
      this.#options.logger.warn({ err: refusal }, 'the tool server waits for its port');
    }
    this.#missing = 'its port';
    clearTimeout(this.#portRetry);
    this.#portRetry = setTimeout(() => this.#resume(), SIDECAR_PORT_RETRY_MS).unref();
  }

  async #end(): Promise<void> {
    const supervised = this.#supervised;
    this.#supervised = undefined;
    this.#settings = undefined;
    this.#url = undefined;
    this.#missing = undefined;
    clearTimeout(this.#portRetry);
    supervised?.stop();
    await supervised?.child.stop();
  }
}
