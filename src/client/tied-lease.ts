import { joinedSignal } from './joined-signal.js';
import { LiveSocket } from './live-socket.js';
import type { CallOptions, Requests } from './requests.js';
import type { LeaseInfo, LeaseOptions } from './types.js';

/**
 * A terminal's lease that ends with its own connection at the latest, so also when this process is killed. It expires
 * earlier unless it is renewed.
 */
export class TiedLease {
  readonly leaseId: string;
  readonly fence: number;
  readonly #socket: LiveSocket;
  readonly #terminalId: string;
  #expiresAt: number;

  private constructor(socket: LiveSocket, terminalId: string, { leaseId, fence, expiresAt }: LeaseInfo) {
    this.#socket = socket;
    this.#terminalId = terminalId;
    this.leaseId = leaseId;
    this.fence = fence;
    this.#expiresAt = expiresAt;
  }

  static async take(
    requests: Requests,
    terminalId: string,
    { signal, ...asked }: LeaseOptions & Pick<CallOptions, 'signal'>,
  ): Promise<TiedLease> {
    requests.allowMany(signal);
    // The signal ends the taking, and not the lease.
    const { signal: taking, release } = joinedSignal(signal);
    let socket: LiveSocket | undefined;
    try {
      socket = await LiveSocket.open(requests, { output: 0, terminals: terminalId }, taking);
      const taken = await socket.command({ action: 'lease:take', terminalId, tie: 'connection', ...asked });
      return new TiedLease(socket, terminalId, taken as LeaseInfo);
    } catch (error) {
      socket?.close();
      signal?.throwIfAborted();
      throw error;
    } finally {
      release();
    }
  }

  /** Time at which it ends unless it is renewed, in epoch milliseconds. */
  get expiresAt(): number {
    return this.#expiresAt;
  }

  /**
   * Renews the lease. Rejects with ConflictError `lease-lost` if it has ended, and with DisconnectedError if its
   * connection has.
   */
  async renew(ttlMs?: number): Promise<void> {
    const renewed = await this.#command({ action: 'lease:renew', ttlMs });
    this.#expiresAt = (renewed as LeaseInfo).expiresAt;
  }

  /** Ends it, and its connection. Rejects as {@link renew} does. */
  async end(): Promise<void> {
    await this.#command({ action: 'lease:end' }).finally(() => this.#socket.close());
  }

  #command(payload: Record<string, unknown>): Promise<Record<string, unknown>> {
    return this.#socket.command({ ...payload, terminalId: this.#terminalId, leaseId: this.leaseId });
  }
}
