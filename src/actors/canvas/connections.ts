import { randomBytes } from 'node:crypto';
import { Connection, type ConnectionBody } from '../../contract/canvas.js';
import { DomainError } from '../../contract/errors.js';
import { MAX_CONNECTIONS } from '../../contract/limits.js';
import type { Collection, Store } from '../../store/store.js';

/** Directed connections between terminals, kept in the store: at most one from any terminal to another. */
export class Connections {
  readonly #stored: Collection<Connection>;

  constructor(store: Store) {
    this.#stored = store.collection('connections', { version: 1, schema: Connection });
  }

  /** Returns all connections, oldest first. */
  all(): Connection[] {
    return [...this.#stored.all().values()].sort(
      (a, b) => a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1),
    );
  }

  /**
   * Connects two terminals, or returns the connection that exists already (`isNew` false). Resolves once stored. When
   * there are MAX_CONNECTIONS, removes the oldest connection with an end that is not `isKnown`; throws
   * too-many-connections when there is none.
   */
  async connect(
    { from, to, label, origin }: ConnectionBody,
    isKnown: (terminalId: string) => boolean,
  ): Promise<{ connection: Connection; isNew: boolean }> {
    const standing = [...this.#stored.all().values()].find((each) => each.from === from && each.to === to);
    if (standing) return { connection: standing, isNew: false };
    const id = `cn-${randomBytes(6).toString('hex')}`;
    const connection = { id, from, to, label, origin, createdAt: Date.now() };
    const writes = [...this.#makeRoom(isKnown), this.#stored.put(id, connection)];
    await Promise.all(writes);
    return { connection, isNew: true };
  }

  /** Sets or clears a label; resolves once stored. Throws connection-not-found. */
  async setLabel(id: string, label: string | null): Promise<{ connection: Connection; isChanged: boolean }> {
    const before = this.#get(id);
    const connection = { ...before, label };
    const isChanged = before.label !== label;
    if (isChanged) await this.#stored.put(id, connection);
    return { connection, isChanged };
  }

  /** Removes a connection; resolves once stored. Throws connection-not-found. */
  async remove(id: string): Promise<void> {
    this.#get(id);
    await this.#stored.remove(id);
  }

  /** Removes all connections to and from a terminal. Resolves once stored; undefined if it has none. */
  removeAllOf(terminalId: string): Promise<unknown> | undefined {
    const own = [...this.#stored.all().values()].filter(
      ({ from, to }) => from === terminalId || to === terminalId,
    );
    return own.length === 0 ? undefined : Promise.all(own.map(({ id }) => this.#stored.remove(id)));
  }

  of(terminalId: string): { incoming: Connection[]; outgoing: Connection[] } {
    const all = this.all();
    return {
      incoming: all.filter(({ to }) => to === terminalId),
      outgoing: all.filter(({ from }) => from === terminalId),
    };
  }

  #get(id: string): Connection {
    const connection = this.#stored.get(id);
    if (!connection) throw new DomainError('connection-not-found');
    return connection;
  }

  #makeRoom(isKnown: (terminalId: string) => boolean): Promise<void>[] {
    const excess = this.#stored.all().size + 1 - MAX_CONNECTIONS;
    if (excess <= 0) return [];
    const gone = this.all().filter(({ from, to }) => !isKnown(from) || !isKnown(to));
    if (gone.length < excess) throw new DomainError('too-many-connections');
    return gone.slice(0, excess).map(({ id }) => this.#stored.remove(id));
  }
}
