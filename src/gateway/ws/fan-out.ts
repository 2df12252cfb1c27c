import type { EngineEvent } from '../../actors/events.js';
import { DomainError } from '../../contract/errors.js';
import { lifecycleFrame } from '../../contract/ws-messages.js';
import type { FrameVariant, Interest } from '../../workers/shard/protocol.js';
import type { StreamClient } from './stream-client.js';

/** Where output comes from. */
export interface OutputSource {
  /** Says which output is watched. */
  watch(interest: Interest): Promise<void>;
  /** Has the screen emitted as a `resync` event; throws terminal-not-found. */
  resync(id: string): Promise<void>;
}

/** Turns one frame into as many socket writes as there are clients that want it. */
export class FanOut {
  readonly #source: OutputSource;
  readonly #onFault: (error: Error) => void;
  readonly #everything = new Set<StreamClient>();
  readonly #byTerminal = new Map<string, Set<StreamClient>>();
  /** Screens asked for and not arrived yet; one serves every client that is owed it by then. */
  readonly #asked = new Set<string>();

  constructor(source: OutputSource, onFault: (error: Error) => void) {
    this.#source = source;
    this.#onFault = onFault;
  }

  add(client: StreamClient): void {
    const { terminals } = client.subscription;
    if (!terminals) this.#everything.add(client);
    for (const id of terminals ?? []) {
      const clients = this.#byTerminal.get(id) ?? new Set();
      this.#byTerminal.set(id, clients.add(client));
    }
    this.#updateInterest();
  }

  remove(client: StreamClient): void {
    this.#everything.delete(client);
    for (const id of client.subscription.terminals ?? []) {
      const clients = this.#byTerminal.get(id);
      clients?.delete(client);
      if (clients?.size === 0) this.#byTerminal.delete(id);
    }
    this.#updateInterest();
  }

  /** The client has room again: asks for what it is owed. */
  drained(client: StreamClient): void {
    for (const id of client.takeOwed()) this.#ask(id);
  }

  deliver(event: EngineEvent): void {
    const { id } = event;
    switch (event.type) {
      case 'output':
        for (const client of this.#watchers(id)) client.output(id, event);
        return;
      case 'resync':
        this.#asked.delete(id);
        for (const client of this.#watchers(id)) {
          client.resync(id, event);
          this.drained(client);
        }
        return;
      case 'interrupted':
        this.#asked.delete(id);
        for (const client of this.#watchers(id)) {
          client.interrupt(id);
          this.#ask(id);
        }
        return;
      case 'created':
        this.#lifecycle(
          id,
          lifecycleFrame({ type: 'terminal.created', terminalId: id, data: event.terminal }),
        );
        return;
      case 'resized': {
        const { cols, rows } = event;
        this.#lifecycle(
          id,
          lifecycleFrame({ type: 'terminal.resized', terminalId: id, data: { cols, rows } }),
        );
        return;
      }
      case 'exited':
        this.#lifecycle(id, lifecycleFrame({ type: 'terminal.exited', terminalId: id, data: event.exit }));
        return;
      case 'removed':
        this.#asked.delete(id);
        for (const client of this.#watchers(id)) client.forget(id);
        this.#lifecycle(id, lifecycleFrame({ type: 'terminal.removed', terminalId: id, data: {} }));
    }
  }

  *#watchers(id: string): Iterable<StreamClient> {
    yield* this.#everything;
    yield* this.#byTerminal.get(id) ?? [];
  }

  #lifecycle(id: string, message: string): void {
    for (const client of this.#watchers(id)) if (client.subscription.lifecycle) client.event(id, message);
  }

  #ask(id: string): void {
    if (this.#asked.has(id)) return;
    this.#asked.add(id);
    this.#source.resync(id).catch((error: Error) => {
      this.#asked.delete(id);
      const gone = error instanceof DomainError && error.code === 'terminal-not-found';
      if (gone) for (const client of this.#watchers(id)) client.forget(id);
      // A shard that died on the way is followed by an `interrupted`, which asks again.
      else this.#onFault(error);
    });
  }

  #updateInterest(): void {
    const terminals = new Map([...this.#byTerminal].map(([id, clients]) => [id, variants(clients)]));
    this.#source.watch({ all: variants(this.#everything), terminals }).catch(this.#onFault);
  }
}

function variants(clients: Iterable<StreamClient>): FrameVariant[] {
  return [...new Set([...clients].map((client) => client.subscription.variant))];
}
