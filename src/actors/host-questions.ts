import { DomainError } from '../contract/errors.js';
import type { ReadUpTo, TmuxCapture } from '../contract/host-protocol.js';
import type { SignalRequest } from '../contract/signal.js';
import type { HostConnection } from '../workers/pty-host/client/host-client.js';
import type { Registry } from './registry.js';

type Asked = Pick<HostConnection, 'capture' | 'readAll' | 'signal'>;

/** Requests to the pty host for facts and actions that no other process can provide for a terminal. */
export class HostQuestions {
  readonly #registry: Pick<Registry, 'get' | 'running'>;
  readonly #host: () => Promise<Asked>;

  /** @param host - resolves with the current pty host */
  constructor(registry: Pick<Registry, 'get' | 'running'>, host: () => Promise<Asked>) {
    this.#registry = registry;
    this.#host = host;
  }

  /** Returns tmux' capture of a terminal; null if it is not on tmux or has exited. Throws terminal-not-found. */
  async tmuxCapture(id: string, scrollback: boolean): Promise<TmuxCapture | null> {
    const { handle, meta, exit } = this.#registry.get(id);
    if (meta.backend !== 'tmux' || exit) return null;
    return (await this.#host()).capture(handle, scrollback);
  }

  /** Has the host read all that the terminal's programs have printed so far. Throws terminal-not-found. */
  async readAll(id: string): Promise<ReadUpTo> {
    const { handle } = this.#registry.running(id);
    const read = await (await this.#host()).readAll(handle);
    if (!read) throw new DomainError('terminal-not-found');
    return read;
  }

  /** Signals the job in the foreground; see `signal` of the host's client. Throws terminal-not-found. */
  async signal(id: string, request: SignalRequest): Promise<void> {
    const { handle } = this.#registry.running(id);
    await (await this.#host()).signal(handle, request);
  }
}
