import { isDeepStrictEqual } from 'node:util';
import type { Logger } from 'pino';
import { DomainError } from '../../contract/errors.js';
import { SIDECAR_RESTARTS } from '../../contract/limits.js';
import type { SidecarSettings } from '../../contract/sidecar.js';
import { Supervised } from '../kernel/supervised.js';
import { SidecarProcess, type SidecarProcessOptions } from './sidecar-process.js';

export interface SidecarOptions extends SidecarProcessOptions {
  logger: Logger;
}

/**
 * Keeps the tool server running with the settings that hold. One that dies is started again with them, on the port
 * that it had; one that dies too often is given up, and the service goes on without.
 */
export class Sidecar {
  readonly #options: SidecarOptions;
  #supervised: Supervised<SidecarProcess> | undefined;
  /** What it runs with, or is to: with the real port, once that is known. */
  #settings: SidecarSettings | undefined;
  /** Of the process of this moment, once it listens. */
  #url: string | undefined;
  #restarts = 0;
  #isStopped = false;
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
   * Has it run with `settings` from now on, or not at all; a port of 0 is the one that it has, or any free one. One
   * that was given up is tried again where they are others than before. Rejects with `port-taken`, and runs as before
   * then; resolves without {@link url} where it is given up.
   */
  apply(settings: SidecarSettings | undefined): Promise<void> {
    return this.#inTurn(() => (settings ? this.#run(settings) : this.#end()));
  }

  /** Ends it for good, also in the midst of a change. Resolves once the process is gone. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#end();
  }

  async #run(settings: SidecarSettings): Promise<void> {
    if (this.#isStopped) throw new DomainError('shutting-down');
    const before = this.#settings;
    const wanted = { ...settings, port: settings.port === 0 ? (before?.port ?? 0) : settings.port };
    if (isDeepStrictEqual(wanted, before)) return;
    this.#settings = wanted;
    this.#supervised ??= this.#begin();
    const refusal = await this.#tell();
    if (refusal === undefined) return;
    if (before === undefined) {
      await this.#end();
    } else {
      this.#settings = before;
      this.#resume();
    }
    throw refusal;
  }

  /**
   * Tells the process of this moment, or the one after it, what to run with. Resolves with the refusal where the port
   * is taken, and with undefined once it listens or there is none any more.
   */
  async #tell(): Promise<DomainError | undefined> {
    while (this.#supervised && this.#settings) {
      const { child } = this.#supervised;
      const settings = this.#settings;
      const report = await child.order(settings);
      // It was stopped meanwhile, or died right after its report.
      if (this.#supervised?.child !== child) continue;
      if (report && 'url' in report) {
        this.#url = report.url;
        this.#settings = { ...settings, port: Number(new URL(report.url).port) };
        return undefined;
      }
      if (report?.isPortTaken) return new DomainError('port-taken', report.error);
      if (report) child.end(new Error(report.error));
      // Its supervisor has asked before us: it has started another one, or given up, when we go on.
      await child.died;
    }
    return undefined;
  }

  #begin(): Supervised<SidecarProcess> {
    const { logger } = this.#options;
    return new Supervised<SidecarProcess>({
      budget: SIDECAR_RESTARTS,
      start: () => new SidecarProcess(this.#options),
      died: (child) => child.died,
      restarted: (_child, reason) => {
        this.#url = undefined;
        this.#restarts++;
        logger.warn({ err: reason }, 'the tool server has ended; it is started again');
        this.#resume();
      },
      gaveUp: (reason) => {
        this.#url = undefined;
        this.#supervised = undefined;
        logger.error({ err: reason }, 'the tool server ends too often; the service goes on without it');
      },
    });
  }

  /** Has a process that nobody has told anything yet run with the settings that hold. */
  #resume(): void {
    void this.#inTurn(async () => {
      if (this.#url !== undefined) return;
      const child = this.#supervised?.child;
      const refusal = await this.#tell();
      // Its port has gone to somebody else meanwhile, who may leave again.
      if (refusal) child?.end(refusal);
    });
  }

  async #end(): Promise<void> {
    const supervised = this.#supervised;
    this.#supervised = undefined;
    this.#settings = undefined;
    this.#url = undefined;
    supervised?.stop();
    await supervised?.child.stop();
  }

  #inTurn(work: () => Promise<void>): Promise<void> {
    const turn = this.#turns.then(work);
    this.#turns = turn.catch(() => undefined);
    return turn;
  }
}
