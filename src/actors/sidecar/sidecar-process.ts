import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { SIDECAR_START_MS, SIDECAR_STOP_MS } from '../../contract/limits.js';
import { type SidecarOrder, SidecarReport, type SidecarSettings, WATCHED } from '../../contract/sidecar.js';

const STDERR = 2;

export interface SidecarProcessOptions {
  /** The compiled mcp/main.js. */
  entry: URL;
  /** Environment of the process, which takes from it only the settings of its log; all others come with an order. */
  env: NodeJS.ProcessEnv;
  /** For tests: milliseconds within which the process must answer an order. */
  answerMs?: number;
}

/**
 * One process of the tool server, from its fork to its end. It ends with the channel, so it never outlives the service.
 */
export class SidecarProcess {
  /** Resolves with the reason once the process has ended. */
  readonly died: Promise<Error>;
  /** Undefined if the process could not be forked. */
  readonly #child: ChildProcess | undefined;
  readonly #waiting = new Map<number, (report: SidecarReport) => void>();
  readonly #answerMs: number;
  #orders = 0;
  #fault: Error | undefined;
  #isStopped = false;

  constructor({ entry, env, answerMs = SIDECAR_START_MS }: SidecarProcessOptions) {
    this.#answerMs = answerMs;
    try {
      this.#child = forked(entry, env);
    } catch (error) {
      // Most errors from a lack of resources come as an event, but some are thrown.
      this.died = Promise.resolve(error as Error);
      return;
    }
    this.died = this.#watch(this.#child);
  }

  /**
   * Makes the process run with these settings. Resolves with the address at which it listens, or with the reason why it
   * runs as before; undefined if the process ended first, as it does when it takes too long to answer.
   */
  async order(settings: SidecarSettings): Promise<SidecarReport | undefined> {
    const child = this.#child;
    if (!child?.connected) {
      // The process could not be forked, or has ended.
      await this.died;
      return undefined;
    }
    const order: SidecarOrder = { id: ++this.#orders, settings };
    const report = new Promise<SidecarReport>((resolve) => this.#waiting.set(order.id, resolve));
    const late = () => this.end(new Error(`it did not answer within ${this.#answerMs} ms`));
    const deadline = setTimeout(late, this.#answerMs);
    child.send(order, (error) => {
      if (error) this.end(error);
    });
    try {
      return await Promise.race([report, this.died.then(() => undefined)]);
    } finally {
      clearTimeout(deadline);
      this.#waiting.delete(order.id);
    }
  }

  /** Kills a process that is of no use any more; `fault` is the reason of its end. */
  end(fault: Error): void {
    this.#fault ??= fault;
    this.#child?.kill('SIGKILL');
  }

  /** Lets the process end, and kills it when that takes too long. Resolves once it is gone. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    if (this.#child?.connected) this.#child.disconnect();
    const deadline = setTimeout(() => this.#child?.kill('SIGKILL'), SIDECAR_STOP_MS);
    await this.died;
    clearTimeout(deadline);
  }

  #watch(child: ChildProcess): Promise<Error> {
    child.on('message', (message) => this.#onMessage(message));
    // Nothing reaches the process any more, even if it still runs.
    child.once('disconnect', () => {
      if (!this.#isStopped) child.kill('SIGKILL');
    });
    return new Promise((resolve) => {
      child.once('exit', (code, signal) => resolve(this.#fault ?? reasonOf(code, signal)));
      child.on('error', (error) => {
        // If the process could not be forked, no exit follows.
        if (child.pid === undefined) resolve(error);
        else this.end(error);
      });
    });
  }

  #onMessage(message: unknown): void {
    const parsed = SidecarReport.safeParse(message);
    if (parsed.success) this.#waiting.get(parsed.data.id)?.(parsed.data);
    else this.end(new Error('it sent an invalid report', { cause: parsed.error }));
  }
}

function forked(entry: URL, env: NodeJS.ProcessEnv): ChildProcess {
  // The service's stdout carries only its ready line. Flags of its own Node, such as --inspect, are not for the
  // sidecar.
  const stdio = ['ignore', STDERR, STDERR, 'ipc'] as const;
  return fork(fileURLToPath(entry), [`--${WATCHED}`], { env, execArgv: [], stdio: [...stdio] });
}

function reasonOf(code: number | null, signal: NodeJS.Signals | null): Error {
  return new Error(signal === null ? `it ended with exit code ${code}` : `it was ended by ${signal}`);
}
