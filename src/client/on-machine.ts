import type { Transport, WireAnswer, WireRequest, WireSocket } from './transport.js';

const PREFIX = '/api/';

/** The way to another machine of the fleet, through the service of this one. */
export class MachineTransport implements Transport {
  readonly #transport: Transport;
  readonly #prefix: string;

  /** @param transport - to the service of this machine, which whoever made it closes */
  constructor(transport: Transport, machineId: string) {
    this.#transport = transport;
    this.#prefix = `${PREFIX}machines/${encodeURIComponent(machineId)}/`;
  }

  send(request: WireRequest): Promise<WireAnswer> {
    return this.#transport.send({ ...request, path: this.#pathOf(request.path) });
  }

  connect(path: string, signal?: AbortSignal): Promise<WireSocket> {
    return this.#transport.connect(this.#pathOf(path), signal);
  }

  allowManyListeners(signal: AbortSignal): void {
    this.#transport.allowManyListeners?.(signal);
  }

  close(): void {}

  /** Returns the path through this machine's service; what is no route of the API is this machine's own. */
  #pathOf(path: string): string {
    return path.startsWith(PREFIX) ? `${this.#prefix}${path.slice(PREFIX.length)}` : path;
  }
}
