import type { EngineEvent } from '../../actors/events.js';
import type { StreamClient } from './stream-client.js';

/**
 * Which clients are attached to which terminals. An attached client gets the events that it cannot do without, even if it
 * does not watch the terminal: the size of the terminal, its end, and its own detachment.
 */
export class Attachments {
  readonly #clients = new Map<string, StreamClient>();
  readonly #byTerminal = new Map<string, Set<StreamClient>>();

  connected(client: StreamClient): void {
    this.#clients.set(client.id, client);
  }

  disconnected(client: StreamClient): void {
    this.#clients.delete(client.id);
  }

  /** Returns whether the client is attached to the terminal. */
  has(id: string, client: StreamClient): boolean {
    return this.#byTerminal.get(id)?.has(client) ?? false;
  }

  /** Notes attachments and detachments. Returns the clients that get the event because they are attached. */
  concerned(event: EngineEvent): Iterable<StreamClient> {
    const { id } = event;
    switch (event.type) {
      case 'attached': {
        const client = this.#clients.get(event.client.clientId);
        if (client) this.#byTerminal.set(id, (this.#byTerminal.get(id) ?? new Set()).add(client));
        return [];
      }
      case 'detached': {
        const attached = this.#byTerminal.get(id);
        const left = [...(attached ?? [])].filter((client) => client.id === event.client.clientId);
        for (const client of left) attached?.delete(client);
        if (attached?.size === 0) this.#byTerminal.delete(id);
        return left.filter((client) => this.#clients.has(client.id));
      }
      case 'resized':
      case 'exited':
      case 'removed':
        return this.#byTerminal.get(id) ?? [];
      default:
        return [];
    }
  }
}
