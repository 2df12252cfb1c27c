import type { Attach, AttachedClient } from '../../contract/attach.js';
import { DomainError } from '../../contract/errors.js';
import type { TerminalSize } from '../../contract/terminal.js';
import { Leadership, type WantedSize } from './leadership.js';

type Client = Omit<AttachedClient, 'isLeader' | 'terminalId'>;

/** A change of the attached clients, and the size that the terminal gets as a result; undefined if it keeps its size. */
export interface Change {
  client: AttachedClient;
  wanted: WantedSize | undefined;
}

/** The clients that are attached to one terminal. */
export class AttachedClients {
  readonly #terminalId: string;
  readonly #leadership = new Leadership();
  readonly #clients = new Map<string, Client>();

  constructor(terminalId: string) {
    this.#terminalId = terminalId;
  }

  get isEmpty(): boolean {
    return this.#clients.size === 0;
  }

  has(clientId: string): boolean {
    return this.#clients.has(clientId);
  }

  /** Returns the clients in the order in which they attached. */
  list(): AttachedClient[] {
    return [...this.#clients.values()].map((client) => this.#shown(client));
  }

  /** Adds a client, or changes how it is attached. */
  attach(clientId: string, { cols, rows, readOnly, name }: Attach): Change {
    const { attachedAt, typedAt } = this.#clients.get(clientId) ?? { attachedAt: Date.now(), typedAt: null };
    const client = { clientId, name, readOnly, cols, rows, attachedAt, typedAt };
    this.#clients.set(clientId, client);
    const wanted = this.#leadership.attach(clientId, { readOnly, size: { cols, rows } });
    return { client: this.#shown(client), wanted };
  }

  /** Removes a client. Throws client-not-found. */
  leave(clientId: string): Change {
    const client = this.#clients.get(clientId);
    if (!client) throw new DomainError('client-not-found');
    const shown = this.#shown(client);
    this.#clients.delete(clientId);
    return { client: shown, wanted: this.#leadership.leave(clientId) };
  }

  /** Throws not-attached. */
  resize(clientId: string, { cols, rows }: TerminalSize): WantedSize | undefined {
    Object.assign(this.#attached(clientId), { cols, rows });
    return this.#leadership.resize(clientId, { cols, rows });
  }

  /** Throws not-attached, read-only-client. */
  lead(clientId: string): WantedSize | undefined {
    this.#writer(clientId);
    return this.#leadership.take(clientId);
  }

  /** Throws not-attached, read-only-client. */
  typed(clientId: string): WantedSize | undefined {
    this.#writer(clientId).typedAt = Date.now();
    return this.#leadership.typed(clientId);
  }

  isReader(clientId: string): boolean {
    return this.#clients.get(clientId)?.readOnly ?? false;
  }

  isLeader(clientId: string): boolean {
    return this.#leadership.leader === clientId;
  }

  #attached(clientId: string): Client {
    const client = this.#clients.get(clientId);
    if (!client) throw new DomainError('not-attached');
    return client;
  }

  #writer(clientId: string): Client {
    const client = this.#attached(clientId);
    if (client.readOnly) throw new DomainError('read-only-client');
    return client;
  }

  #shown(client: Client): AttachedClient {
    return { terminalId: this.#terminalId, ...client, isLeader: this.isLeader(client.clientId) };
  }
}
