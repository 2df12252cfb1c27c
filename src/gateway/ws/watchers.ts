import type { FrameVariant, Interest } from '../../workers/shard/protocol.js';
import type { StreamClient } from './stream-client.js';

/** Which clients watch which terminal. */
export class Watchers {
  readonly #everything = new Set<StreamClient>();
  readonly #byTerminal = new Map<string, Set<StreamClient>>();

  /** Adds a client to the terminals of its present watch set. */
  add(client: StreamClient): void {
    const { watched } = client;
    if (watched.isEverything) this.#everything.add(client);
    for (const id of watched.ids) {
      const clients = this.#byTerminal.get(id) ?? new Set();
      this.#byTerminal.set(id, clients.add(client));
    }
  }

  /** Removes a client; its watch set must be the same as at {@link add}. */
  remove(client: StreamClient): void {
    this.#everything.delete(client);
    for (const id of client.watched.ids) {
      const clients = this.#byTerminal.get(id);
      clients?.delete(client);
      if (clients?.size === 0) this.#byTerminal.delete(id);
    }
  }

  *of(id: string): Iterable<StreamClient> {
    yield* this.#everything;
    yield* this.#byTerminal.get(id) ?? [];
  }

  /** Returns which output is wanted, and in which forms. Clients that take no output want none. */
  interest(): Interest {
    const terminals = [...this.#byTerminal].map(([id, clients]) => [id, variants(clients)] as const);
    return {
      all: variants(this.#everything),
      terminals: new Map(terminals.filter(([, wanted]) => wanted.length > 0)),
    };
  }
}

function variants(clients: Iterable<StreamClient>): FrameVariant[] {
  const wanted = [...clients].flatMap(({ subscription: { variant } }) => (variant ? [variant] : []));
  return [...new Set(wanted)];
}
