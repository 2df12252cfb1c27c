import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { SIDECAR_START_MS, SIDECAR_STOP_MS } from '../../contract/limits.js';
import { type SidecarOrder, SidecarReport, type SidecarSettings, WATCHED } from '../../contract/sidecar.js';

const STDERR = 2;

export interface SidecarProcessOptions {
  /** The compiled mcp/main.js. */
  entry: URL;
  /** Its environment. It is told its settings, and takes of this only how it logs. */
  env: NodeJS.ProcessEnv;
  /** For tests: milliseconds after which it must have answered an order. */
  answerMs?: number;
}

/** One process of the tool server, from its fork to its end. It ends with the channel, so never outlives the service. */
export class SidecarProcess {
  /** Resolves with the reason once it has ended. */
  readonly died: Promise<Error>;
  /** Undefined where it could not be forked. */
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
      // Most of what a lack of means brings comes as an event, but not all of it.
      this.died = Promise.resolve(error as Error);
      return;
    }
    this.died = this.#watch(this.#child);
  }

  /**
   * Has it run with these settings. Resolves with where it listens now, or with why it runs as before; undefined when
   * it ended first, as it does when it takes too long.
   */
  async order(settings: SidecarSettings): Promise<SidecarReport | undefined> {
    const child = this.#child;
    if (!child?.connected) {
      // It could not be forked, or has ended.
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

  /** Kills it: it is of no use any more. */
  end(fault: Error): void {
    this.#fault ??= fault;
    this.#child?.kill('SIGKILL');
  }

  /** Lets it end, and kills it when it takes too long. Resolves once it is gone. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    if (this.#child?.connected) this.#child.disconnect();
    const deadline = setTimeout(() => this.#child?.kill('SIGKILL'), SIDECAR_STOP_MS);
    await this.died;
    clearTimeout(deadline);
  }

  #watch(child: ChildProcess): Promise<Error> {
    child.on('message', (message) => this.#onMessage(message));
    // Nothing reaches it any more, whatever it still does.
    child.once('disconnect', () => {
      if (!this.#isStopped) child.kill('SIGKILL');
    });
    return new Promise((resolve) => {
      child.once('exit', (code, signal) => resolve(this.#fault ?? reasonOf(code, signal)));
      child.on('error', (error) => {
        // Where it could not be forked, no exit follows.
        if (child.pid === undefined) resolve(error);
        else this.end(error);
      });
    });
  }

  #onMessage(message: unknown): void {
    const parsed = SidecarReport.safeParse(message);
    if (parsed.success) this.#waiting.get(parsed.data.id)?.(parsed.data);
    else this.end(new Error('it sent what is no report', { cause: parsed.error }));
  }
}

function forked(entry: URL, env: NodeJS.ProcessEnv): ChildProcess {
  // Our stdout has the ready line and nothing else. Flags of our own Node, such as --inspect, are for us alone.
  const stdio = ['ignore', STDERR, STDERR, 'ipc'] as const;
  return fork(fileURLToPath(entry), [`--${WATCHED}`], { env, execArgv: [], stdio: [...stdio] });
}

function reasonOf(code: number | null, signal: NodeJS.Signals | null): Error {
  return new Error(signal === null ? `it ended with exit code ${code}` : `it was ended by ${signal}`);
}
