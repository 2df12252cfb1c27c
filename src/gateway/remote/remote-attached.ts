import { showsPerson } from '../../actors/input-gate/person-typing.js';
import type { Attach, Attachment } from '../../contract/attach.js';
import { DomainError } from '../../contract/errors.js';
import { MAX_FLEET_ATTACHED } from '../../contract/limits.js';
import type { TerminalSize } from '../../contract/terminal.js';
import type { WishedClient } from '../../fleet/streams/live-wire.js';
import type { AttachedPort } from '../ws/commands.js';
import type { StreamClient } from '../ws/stream-client.js';
import { failureOf } from './remote-failure.js';
import type { RemoteEvent, RemoteOutput } from './remote-output.js';

export interface RemoteAttachedOptions {
  output: () => Pick<RemoteOutput, 'find'>;
  /** Sets the size of a terminal, by a request. */
  resize: (id: string, size: TerminalSize) => Promise<void>;
  onFault: (error: unknown) => void;
}

interface Seat {
  client: WishedClient;
  isLeader: boolean;
  /** Its id at the owner, once the owner has reported it. */
  as: string | undefined;
}

/**
 * Clients of this machine that are attached to terminals of another machine. The owner decides which client leads, since
 * its own clients and clients of further machines may be attached, too.
 */
export class RemoteAttached implements AttachedPort {
  readonly #options: RemoteAttachedOptions;
  /** By terminal and client. */
  readonly #seats = new Map<string, Map<string, Seat>>();
  /** How often clients have set their sizes. */
  #sized = 0;

  constructor(options: RemoteAttachedOptions) {
    this.#options = options;
  }

  /** Throws not-watched, `unavailable`, and the errors of the owner: terminal-not-found, not-granted. */
  async attach(id: string, clientId: string, { cols, rows, readOnly, name }: Attach): Promise<Attachment> {
    const seats = this.#seats.get(id) ?? new Map<string, Seat>();
    if (!this.#options.output().find(id)) throw new DomainError('not-watched');
    const before = seats.get(clientId);
    if (!before && seats.size >= MAX_FLEET_ATTACHED) throw new DomainError('unavailable');
    const { typed = 0, leads = 0 } = before?.client ?? {};
    this.#seats.set(id, seats);
    const client = { clientId, cols, rows, readOnly, name, typed, leads, sized: ++this.#sized };
    seats.set(clientId, { client, isLeader: false, as: undefined });
    return this.#say(id, clientId);
  }

  async detach(id: string, clientId: string): Promise<void> {
    this.#drop(id, clientId);
    await this.#tell(id);
  }

  async lead(id: string, clientId: string): Promise<Attachment> {
    const { client } = this.#seat(id, clientId);
    if (client.readOnly) throw new DomainError('read-only-client');
    client.leads++;
    return this.#say(id, clientId);
  }

  leave(clientId: string): void {
    for (const [id, seats] of this.#seats) {
      if (!seats.has(clientId)) continue;
      this.#drop(id, clientId);
      void this.#tell(id).catch(this.#options.onFault);
    }
  }

  resize(id: string, size: TerminalSize): Promise<void> {
    return this.#options.resize(id, size);
  }

  async resizeClient(id: string, clientId: string, { cols, rows }: TerminalSize): Promise<Attachment> {
    Object.assign(this.#seat(id, clientId).client, { cols, rows, sized: ++this.#sized });
    return this.#say(id, clientId);
  }

  isAttached(id: string, clientId: string): boolean {
    return this.#seats.get(id)?.has(clientId) ?? false;
  }

  requireWriter(id: string, clientId: string): void {
    if (this.#seats.get(id)?.get(clientId)?.client.readOnly) throw new DomainError('read-only-client');
  }

  typed(id: string, clientId: string, data: string): void {
    const seat = this.#seats.get(id)?.get(clientId);
    // A client that has led since it typed last leads on, unless another client has taken over, which the owner reports.
    if (!seat || seat.client.readOnly || seat.isLeader || !showsPerson(data)) return;
    seat.client.typed++;
    this.#say(id, clientId).catch(this.#options.onFault);
  }

  /**
   * Reports the attached clients to a new stream of a terminal. Its owner does not know their earlier actions: only the
   * leader takes the lead again, since others may have typed later than the rest.
   */
  begunAnew(id: string): void {
    const seats = this.#seats.get(id);
    if (!seats) return;
    for (const { client, isLeader } of seats.values())
      Object.assign(client, { typed: 0, leads: isLeader ? 1 : 0 });
    this.#tell(id).catch(this.#options.onFault);
  }

  /** Drops the clients of a terminal whose stream has ended: the owner has detached them, and nobody watches it any more. */
  ended(id: string): void {
    this.#seats.delete(id);
  }

  /** Returns whether an event of a terminal is about a client; notes that the owner has detached it. */
  isConcerned(client: StreamClient, { type, terminalId, data }: RemoteEvent): boolean {
    const seat = this.#seats.get(terminalId)?.get(client.id);
    if (!seat) return false;
    if (type === 'client.detached') {
      if (data.clientId !== seat.as) return false;
      this.#drop(terminalId, client.id);
      // Otherwise a stream that is opened again would attach it again.
      this.#tell(terminalId).catch(this.#options.onFault);
      return true;
    }
    // Another client may lead by now.
    if (type === 'terminal.resized') seat.isLeader = false;
    return ['terminal.resized', 'terminal.exited', 'terminal.removed'].includes(type);
  }

  #drop(id: string, clientId: string): void {
    const seats = this.#seats.get(id);
    seats?.delete(clientId);
    if (seats?.size === 0) this.#seats.delete(id);
  }

  /** Sends the attached clients to the owner of the terminal; resolves with its answer about the client `clientId`. */
  async #say(id: string, clientId: string): Promise<Attachment> {
    const seat = this.#seat(id, clientId);
    const told = (await this.#tell(id)).find((each) => each.clientId === clientId);
    if (!told) throw new DomainError('not-attached');
    if ('code' in told) {
      // The client may have attached in another way meanwhile.
      if (this.#seats.get(id)?.get(clientId) === seat) this.#drop(id, clientId);
      throw failureOf(told);
    }
    const { as, isLeader, cols, rows } = told;
    Object.assign(seat, { as, isLeader });
    return { clientId: as, isLeader, cols, rows };
  }

  async #tell(id: string) {
    const clients = [...(this.#seats.get(id)?.values() ?? [])].map(({ client }) => ({ ...client }));
    return (await this.#options.output().find(id)?.attach(clients)) ?? [];
  }

  #seat(id: string, clientId: string): Seat {
    const seat = this.#seats.get(id)?.get(clientId);
    if (!seat) throw new DomainError('not-attached');
    return seat;
  }
}
