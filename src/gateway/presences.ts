import type { ServerResponse } from 'node:http';
import { DomainError } from '../contract/errors.js';
import { onClosed } from './on-closed.js';

interface Presence {
  clients: number;
  gone: AbortController;
}

/** The clients that wait for the answer to the same operation: the first request, and its repetitions. */
export class Presences {
  readonly #present = new Map<string, Presence>();

  /** Notes that a client waits. Returns a signal that aborts with client-gone once no client of this scope waits any longer. */
  enter(scope: string, response: ServerResponse): AbortSignal {
    const presence = this.#present.get(scope) ?? { clients: 0, gone: new AbortController() };
    this.#present.set(scope, presence);
    presence.clients++;
    const leave = () => {
      presence.clients--;
      if (presence.clients > 0) return;
      this.#present.delete(scope);
      presence.gone.abort(new DomainError('client-gone'));
    };
    onClosed(response, leave);
    return presence.gone.signal;
  }
}
