import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Cleanup } from './cleanup.js';

/** Calls that a process of the bench answers over its IPC channel; arguments and results are plain data. */
// biome-ignore lint/suspicious/noExplicitAny: each process has arguments and answers of its own.
type Calls = Record<string, (...args: any[]) => unknown>;

interface Question {
  id: number;
  name: string;
  args: unknown[];
}

interface Answer {
  id: number;
  result?: unknown;
  error?: string;
}

/** Called in the child: answers calls, and ends the process when the parent ends, for whatever reason. */
export function answerCalls(calls: Calls): void {
  process.on('disconnect', () => process.exit(0));
  // Ctrl+C reaches the whole process group, but only the parent decides when to end.
  process.on('SIGINT', () => {});
  process.on('message', async ({ id, name, args }: Question) => {
    let answer: Answer;
    try {
      answer = { id, result: await calls[name]!(...args) };
    } catch (error) {
      answer = { id, error: error instanceof Error ? (error.stack ?? error.message) : String(error) };
    }
    process.send!(answer);
  });
}

/** A child process of the bench, `bench/peers/<name>.ts`, that is called over its IPC channel. */
export class Peer<Known extends Calls> {
  readonly #child: ChildProcess;
  readonly #waiting = new Map<
    number,
    { resolve: (result: unknown) => void; reject: (error: Error) => void }
  >();
  #next = 0;

  private constructor(child: ChildProcess) {
    this.#child = child;
    child.on('message', ({ id, result, error }: Answer) => {
      const waiting = this.#waiting.get(id);
      this.#waiting.delete(id);
      if (error === undefined) waiting?.resolve(result);
      else waiting?.reject(new Error(error));
    });
    child.on('exit', (code, signal) => {
      for (const { reject } of this.#waiting.values())
        reject(new Error(`process ${child.pid} of the bench ended with ${signal ?? `exit code ${code}`}`));
      this.#waiting.clear();
    });
  }

  /** Starts the process, until the case ends. */
  static start<Known extends Calls>(cleanup: Cleanup, name: string, args: string[] = []): Peer<Known> {
    const file = fileURLToPath(new URL(`../peers/${name}.js`, import.meta.url));
    const child = fork(file, args, { serialization: 'advanced', execArgv: [] });
    const peer = new Peer<Known>(child);
    cleanup.defer(() => peer.end());
    return peer;
  }

  get pid(): number {
    return this.#child.pid!;
  }

  /** Calls the process. Rejects if the call fails, or the process ends. */
  call<Name extends keyof Known & string>(
    name: Name,
    ...args: Parameters<Known[Name]>
  ): Promise<Awaited<ReturnType<Known[Name]>>> {
    const id = this.#next++;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve: resolve as (result: unknown) => void, reject });
      this.#child.send({ id, name, args } satisfies Question, (error) => error && reject(error));
    });
  }

  /** Kills the process. Resolves when it has ended. */
  async end(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    this.#child.kill('SIGKILL');
    await once(this.#child, 'exit');
  }
}
