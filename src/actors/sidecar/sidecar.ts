import { isDeepStrictEqual } from 'node:util';
import type { Logger } from 'pino';
import { DomainError } from '../../contract/errors.js';
import { SIDECAR_PORT_RETRY_MS, SIDECAR_RESTARTS } from '../../contract/limits.js';
import type { SidecarSettings } from '../../contract/sidecar.js';
import type { RestartBudget } from '../kernel/restart-budget.js';
import { Supervised } from '../kernel/supervised.js';
import { SidecarProcess, type SidecarProcessOptions } from './sidecar-process.js';

export interface SidecarOptions extends SidecarProcessOptions {
  logger: Logger;
  /** For tests: when one that died is started again. */
  budget?: RestartBudget;
}

/**
 * Keeps the tool server running with the settings that hold. One that dies is started again with them, on the port
 * that it had: at once, later after growing delays. One that dies too often is given up, and tried again now and then;
 * the service goes on without. One whose port somebody else has taken meanwhile lives, and waits for it.
 */
export class Sidecar {
  readonly #options: SidecarOptions;
  #supervised: Supervised<SidecarProcess> | undefined;
  /** What it runs with, or is to: with the real port, once that is known. */
  #settings: SidecarSettings | undefined;
  /** Of the process of this moment, once it listens. */
  #url: string | undefined;
  #restarts = 0;
  /** What keeps it from listening, where that has been logged and is not seen to at once. */
  #missing: 'its port' | 'its process' | undefined;
  #portRetry: NodeJS.Timeout | undefined;
  #stopped: Promise<void> | undefined;
  /** Changes and restarts are seen to one after the other. */
  #turns: Promise<unknown> = Promise.resolve();

  constructor(options: SidecarOptions) {
    this.#options = options;
  }

  /** Where MCP clients are to be pointed; undefined while nobody listens. */
  get url(): string | undefined {
    return this.#url;
  }

  /** What it runs with, with the real port; undefined when it is off. */
  get settings(): SidecarSettings | undefined {
    return this.#settings;
  }

  /** How often it was started again since the service began. */
  get restarts(): number {
    return this.#restarts;
  }

  /**
   * Has it run with `settings` from now on, or not at all; a port of 0 is the one that it has, or any free one. Where
   * they are others than before, one that is down is tried again at once. Rejects with `port-taken`, and runs as
   * before then; resolves without {@link url} where it dies over them more than once.
   */
  apply(settings: SidecarSettings | undefined): Promise<void> {
    return this.#inTurn(() => (settings ? this.#run(settings) : this.#end()));
  }

  /** Ends it for good, also in the midst of a change. Resolves once the process is gone. */
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
      // Its port was somebody else's before, which is no fault of this change: that holds all the same.
      this.#awaitPort(refusal);
      return;
    } else {
      this.#settings = before;
      this.#resume();
    }
    throw refusal;
  }

  /** The process of this moment; undefined while another one has to wait, and where there is none. */
  get #live(): SidecarProcess | undefined {
    return this.#supervised?.isWaiting ? undefined : this.#supervised?.child;
  }

  /**
   * Tells the process of this moment, or one that takes its place at once, what to run with. Resolves with the refusal
   * where the port is taken, and with undefined once it listens or there is none any more.
   */
  async #tell(): Promise<DomainError | undefined> {
    for (let child = this.#live; child && this.#settings; child = this.#live) {
      const settings = this.#settings;
      const report = await child.order(settings);
      // It was stopped meanwhile, or died right after its report.
      if (this.#live !== child) continue;
      if (report && 'url' in report) {
        this.#settings = { ...settings, port: Number(new URL(report.url).port) };
        this.#listens(report.url);
        return undefined;
      }
      if (report?.isPortTaken) return new DomainError('port-taken', report.error);
      if (report) child.end(new Error(report.error));
      // Its supervisor has asked before us: it has seen to what follows when we go on.
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
          logger.error({ err }, 'the tool server ends too often; the service goes on without it');
        }
        this.#missing = 'its process';
      },
    });
  }

  /** Has a process that nobody has told anything yet, or whose port was taken, run with the settings that hold. */
  #resume(): void {
    this.#inTurn(async () => {
      if (this.#url !== undefined) return;
      const refusal = await this.#tell();
      if (refusal) this.#awaitPort(refusal);
    }).catch((err: unknown) =>
      this.#options.logger.error({ err }, 'the tool server was not told its settings'),
    );
  }

  /** Its port has gone to somebody else, who may leave again. */
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

  #inTurn(work: () => Promise<void>): Promise<void> {
    const turn = this.#turns.then(work);
    this.#turns = turn.catch(() => undefined);
    return turn;
  }
}
