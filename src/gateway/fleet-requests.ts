import type { Socket } from 'node:net';
import type { App } from './validation.js';

/**
 * Address of requests that this service runs for another machine. They come by no connection: only `inject` can give
 * them such an address, since that of a real connection is an IP address.
 */
const ADDRESS = 'fleet';

/** Returns the machine that a request was run for; undefined for requests of this machine's own clients. */
export function machineOf({ remoteAddress }: Pick<Socket, 'remoteAddress'>): string | undefined {
  const [root, machineId] = remoteAddress?.split(' ') ?? [];
  return root === ADDRESS ? machineId : undefined;
}

/** A request of another machine, whose right to it was checked. */
interface CheckedRequest {
  method: string;
  url: string;
  key?: string | undefined;
  /** JSON. */
  body?: string | undefined;
}

/** Headers of an answer that another machine gets. */
const PASSED = ['content-type', 'idempotent-replayed', 'retry-after'];

/** An answer for another machine. */
interface RunAnswer {
  status: number;
  headers: Record<string, string>;
  body: Buffer;
}

/** Runs requests of other machines by the same routes as every other request, with the origin `fleet`. */
export class FleetRequests {
  readonly #app: App;
  readonly #signals = new Map<string, AbortSignal>();
  #count = 0;

  /** @param app - on which no request was served yet */
  constructor(app: App) {
    this.#app = app;
    app.addHook('onRequest', async (request, reply) => {
      const { remoteAddress = '' } = request.raw.socket;
      const end = () => reply.raw.destroy();
      const signal = this.#signals.get(remoteAddress);
      if (signal?.aborted) end();
      signal?.addEventListener('abort', end, { once: true });
    });
  }

  /** Runs a request. An abort of `signal` is the client's disconnect for the route; this then rejects. */
  async run(
    machineId: string,
    { method, url, key, body }: CheckedRequest,
    signal: AbortSignal,
  ): Promise<RunAnswer> {
    const remoteAddress = `${ADDRESS} ${machineId} ${++this.#count}`;
    this.#signals.set(remoteAddress, signal);
    try {
      const answer = await this.#app.inject({
        ...{ method: method as 'GET', url, remoteAddress },
        headers: {
          host: 'localhost',
          // Keys of different machines are different keys.
          ...(key !== undefined && { 'idempotency-key': `${machineId}/${key}` }),
          ...(body !== undefined && { 'content-type': 'application/json' }),
        },
        ...(body !== undefined && { payload: body }),
      });
      const headers = PASSED.flatMap((name) => {
        const value = answer.headers[name];
        return value === undefined ? [] : [[name, String(value)] as const];
      });
      return { status: answer.statusCode, headers: Object.fromEntries(headers), body: answer.rawPayload };
    } finally {
      this.#signals.delete(remoteAddress);
    }
  }
}
