import type { Logger } from 'pino';
import type { Attach, AttachedClient, Attachment, DetachReason } from '../../contract/attach.js';
import { DomainError } from '../../contract/errors.js';
import type { TerminalSize } from '../../contract/terminal.js';
import type { EngineEvent } from '../events.js';
import { showsPerson } from '../input-gate/person-typing.js';
import type { Terminals } from '../terminals.js';
import { AttachedClients } from './attached-clients.js';
import type { WantedSize } from './leadership.js';
import { TerminalSizes, type TerminalSizesOptions } from './terminal-sizes.js';

export interface AttachedOptions extends Omit<TerminalSizesOptions, 'isAttached'> {
  terminals: TerminalSizesOptions['terminals'] & Pick<Terminals, 'announce' | 'get' | 'list'>;
  logger: Pick<Logger, 'warn'>;
}

/** Clients that are attached to terminals. The size of a terminal follows the client that leads. */
export class Attached {
  readonly #options: AttachedOptions;
  readonly #sizes: TerminalSizes;
  /** By terminal; only terminals with clients. */
  readonly #clients = new Map<string, AttachedClients>();

  constructor(options: AttachedOptions) {
    this.#options = options;
    this.#sizes = new TerminalSizes({ ...options, isAttached: (id) => this.#clients.has(id) });
  }

  /** Restores the size that the API had set, for terminals whose clients were lost when an earlier service ended. */
  giveBackAll(): void {
    const { terminals } = this.#options;
    for (const { id } of terminals.list('running')) {
      if (terminals.startOf(id).meta.baseSize) void this.#follow(id, 'base');
    }
  }

  /** Attaches a client, or changes how it is attached. Throws terminal-not-found, also for an exited terminal. */
  async attach(id: string, clientId: string, attach: Attach): Promise<Attachment> {
    this.#options.terminals.size(id);
    const clients = this.#clients.get(id) ?? new AttachedClients(id);
    this.#clients.set(id, clients);
    const isNew = !clients.has(clientId);
    const { client, wanted } = clients.attach(clientId, attach);
    if (isNew) this.#options.terminals.announce({ type: 'attached', id, client });
    await this.#follow(id, wanted);
    return this.attachment(id, clientId);
  }

  /** Detaches a client. Throws terminal-not-found, client-not-found. */
  async detach(id: string, clientId: string, reason: DetachReason): Promise<void> {
    this.#options.terminals.get(id);
    const clients = this.#clients.get(id);
    if (!clients) throw new DomainError('client-not-found');
    await this.#leave(id, clients, clientId, reason);
  }

  /** Detaches all clients of a terminal; returns how many. Throws terminal-not-found. */
  async detachAll(id: string, reason: DetachReason): Promise<number> {
    // The leader last: the terminal must not get the size of each client in turn.
    const attached = this.list(id).toSorted((one, other) => Number(one.isLeader) - Number(other.isLeader));
    await Promise.all(attached.map(({ clientId }) => this.detach(id, clientId, reason)));
    return attached.length;
  }

  /** Detaches a client that is gone from all terminals. */
  leave(clientId: string): void {
    for (const [id, clients] of this.#clients) {
      if (clients.has(clientId)) void this.#leave(id, clients, clientId, 'disconnected');
    }
  }

  /** Makes an attached client the leader. Throws not-attached, read-only-client. */
  async lead(id: string, clientId: string): Promise<Attachment> {
    await this.#follow(id, this.#of(id).lead(clientId));
    return this.attachment(id, clientId);
  }

  /** Throws read-only-client if an attached client may not type. A client that is not attached may. */
  requireWriter(id: string, clientId: string): void {
    if (this.#clients.get(id)?.isReader(clientId)) throw new DomainError('read-only-client');
  }

  /**
   * Notes that a client has typed: it leads, if it is attached. Bytes that its emulator sends by itself do not count.
   */
  typed(id: string, clientId: string, data: string): void {
    const clients = this.#clients.get(id);
    if (!clients?.has(clientId) || clients.isReader(clientId) || !showsPerson(data)) return;
    void this.#follow(id, clients.typed(clientId));
  }

  /** Sets the size of an attached client, which the terminal gets if the client leads. */
  async resizeClient(id: string, clientId: string, size: TerminalSize): Promise<Attachment> {
    await this.#follow(id, this.#of(id).resize(clientId, size));
    return this.attachment(id, clientId);
  }

  /** Returns the state of a client once its terminal has the size that was set last. */
  async attachment(id: string, clientId: string): Promise<Attachment> {
    await this.#sizes.settled(id);
    const { terminals } = this.#options;
    const isLeader = this.#clients.get(id)?.isLeader(clientId) ?? false;
    return { clientId, isLeader, ...terminals.size(id) };
  }

  isAttached(id: string, clientId: string): boolean {
    return this.#clients.get(id)?.has(clientId) ?? false;
  }

  /** Sets the size of a terminal as the API asks. Throws terminal-not-found, `unavailable`. */
  async resize(id: string, size: TerminalSize): Promise<void> {
    await this.#sizes.setBase(id, size);
  }

  /** Returns the clients of a terminal in the order in which they attached. Throws terminal-not-found. */
  list(id: string): AttachedClient[] {
    this.#options.terminals.get(id);
    return this.#clients.get(id)?.list() ?? [];
  }

  onEvent({ type, id }: EngineEvent): void {
    if (type !== 'exited' && type !== 'removed') return;
    const clients = this.#clients.get(id);
    for (const { clientId } of clients?.list() ?? []) void this.#leave(id, clients!, clientId, type);
  }

  async #leave(id: string, clients: AttachedClients, clientId: string, reason: DetachReason): Promise<void> {
    const { client, wanted } = clients.leave(clientId);
    if (clients.isEmpty) this.#clients.delete(id);
    this.#options.terminals.announce({ type: 'detached', id, client, reason });
    await this.#follow(id, wanted);
    this.#sizes.release(id);
  }

  /** Sets the size that the clients want. A failure is only logged: the clients stay attached all the same. */
  async #follow(id: string, wanted: WantedSize | undefined): Promise<void> {
    try {
      if (wanted) await this.#sizes.follow(id, wanted);
    } catch (err) {
      const isGone = err instanceof DomainError && err.code === 'terminal-not-found';
      if (isGone || this.#options.stopping.aborted) return;
      this.#options.logger.warn({ err, terminal: id }, 'a terminal did not get the size of its client');
    }
  }

  /** Throws not-attached. */
  #of(id: string): AttachedClients {
    const clients = this.#clients.get(id);
    if (!clients) throw new DomainError('not-attached');
    return clients;
  }
}
