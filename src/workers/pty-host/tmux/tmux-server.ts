import { setTimeout } from 'node:timers/promises';
import pLimit from 'p-limit';
import type { TmuxHome } from '../../../contract/host-protocol.js';
import { TMUX_END_DEADLINE_MS } from '../../../contract/limits.js';
import { hrMs } from '../../clock.js';
import type { Libc } from '../pty/libc.js';
import type { PtySpec } from '../pty/starter.js';
import { HostWatch } from './host-watch.js';
import { TmuxConnection, type TmuxDeps } from './tmux-connection.js';
import type { TmuxReady } from './tmux-ready.js';
import { findWrapperTools } from './wrapper.js';

interface ServerDeps extends Omit<TmuxDeps, 'libc' | 'tools' | 'hubProgram'> {
  libc: Libc | { missing: string };
  /** Path for the FIFO by which the server notices the death of this process. */
  watchPath: string;
}

/** A server that another host left behind is ended, and a server that ends while it is greeted is worth another try. */
const ATTEMPTS = 2;

/** Matches the message of a client whose server ends. A server that is ending takes clients until its process is gone. */
const SERVER_ENDED = /server exited|lost server/;
const RETRY_MS = 50;

/** Programs that are started at once: the server takes them one by one, and each has a deadline from its start here. */
const MAX_STARTS = 16;

/** The tmux server of this host: started for the first terminal, restarted when it has ended, ended with the host. */
export class TmuxServer {
  readonly #deps: ServerDeps;
  #connection: Promise<TmuxConnection> | null = null;
  readonly #starts = pLimit(MAX_STARTS);
  #watch: HostWatch | undefined;
  #stopped = false;

  constructor(deps: ServerDeps) {
    this.#deps = deps;
  }

  /** Whether this host has a server, or is starting one. */
  get isRunning(): boolean {
    return this.#connection !== null || this.#starts.activeCount > 0;
  }

  /**
   * Starts a program when its turn has come. Calls `done` once: when the program runs or could not be started, or with
   * 'unwanted' if the program is not wanted any more at its turn.
   */
  start(
    spec: PtySpec & { id: string },
    home: TmuxHome,
    isWanted: () => boolean,
    done: (ready: TmuxReady | 'unwanted') => void,
  ): void {
    void this.#starts(async () => {
      let connection: TmuxConnection;
      try {
        connection = await this.#connected(home);
      } catch (error) {
        done({ fault: `tmux could not be started: ${(error as Error).message}` });
        return;
      }
      if (!isWanted()) {
        done('unwanted');
        return;
      }
      await new Promise<void>((resolve) => {
        connection.start(spec, home.historyLimit, (ready) => {
          // Called in the same turn, since the first output of the program may come right behind the answer.
          done(ready);
          resolve();
        });
      });
    });
  }

  /** Ends the server with everything in it, and never starts another. */
  async stop(): Promise<void> {
    this.#stopped = true;
    // A server that could not be started has nothing to end.
    const connection = await this.#connection?.catch(() => null);
    await connection?.stop();
    this.#watch?.close();
    this.#watch = undefined;
  }

  #connected(home: TmuxHome): Promise<TmuxConnection> {
    if (this.#stopped) return Promise.reject(new Error('the pty host is shutting down'));
    const connection = this.#connection ?? this.#connect(home);
    if (connection === this.#connection) return connection;
    this.#connection = connection;
    const forget = () => {
      this.#connection = null;
    };
    connection.then(({ closed }) => closed.then(forget), forget);
    return connection;
  }

  async #connect(home: TmuxHome): Promise<TmuxConnection> {
    const { libc } = this.#deps;
    if ('missing' in libc) throw new Error(libc.missing);
    const tools = findWrapperTools(process.env.PATH ?? '');
    if ('fault' in tools) throw new Error(tools.fault);
    this.#watch ??= new HostWatch(this.#deps.watchPath, libc);
    const parts = { ...this.#deps, libc, tools, hubProgram: this.#watch.argv(tools) };
    const deadline = hrMs() + TMUX_END_DEADLINE_MS;
    for (let attempt = 1; ; attempt += 1) {
      const connection = new TmuxConnection(home, parts);
      const fault = await connection.greet().then(
        (isOurs) => (isOurs ? null : new Error(`another host's terminals live on socket ${home.socketName}`)),
        (error: Error) => error,
      );
      if (!fault) return connection;
      this.#deps.log(`starting tmux again: ${fault.message}`);
      await connection.stop();
      const isEnding = SERVER_ENDED.test(fault.message) && hrMs() < deadline;
      if (this.#stopped || (attempt >= ATTEMPTS && !isEnding)) throw fault;
      if (isEnding) await setTimeout(RETRY_MS);
    }
  }
}
