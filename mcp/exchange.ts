import type { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { WebStandardStreamableHTTPServerTransport as Transport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js';
import type { RequestId } from '@modelcontextprotocol/sdk/types.js';
import { answeredBy, requestIdOf } from './messages.js';

export interface ExchangeOptions {
  createServer: () => Server;
  request: Request;
  /** The messages of the request; empty if it has none, or none that can be parsed. */
  messages: readonly unknown[];
  /** The parsed body that holds the messages; undefined if it is not JSON, and then `request` carries the body. */
  body: unknown;
  /** Id of the session that the request may begin; absent for a request that belongs to a session, or to none. */
  begins?: string;
}

/**
 * One HTTP request with its answer, on a server and a transport of its own. So two clients or calls that use the same
 * request id cannot collide, and a failed exchange leaves nothing behind in another.
 */
export class Exchange {
  readonly #transport: Transport;
  readonly #unanswered: Set<RequestId>;
  #response: Response | undefined;

  private constructor(transport: Transport, messages: readonly unknown[]) {
    this.#transport = transport;
    const ids = messages.map((message) => requestIdOf(message));
    this.#unanswered = new Set(ids.filter((id) => id !== undefined));
    const send = transport.send.bind(transport);
    transport.send = async (message, options) => {
      await send(message, options);
      const id = answeredBy(message);
      if (id !== undefined) this.#settle(id);
    };
  }

  /** Hands a request to a new server. Resolves once its response has a head; the body may still be streamed. */
  static async open({ createServer, request, messages, body, begins }: ExchangeOptions): Promise<Exchange> {
    const transport = new Transport({ sessionIdGenerator: begins === undefined ? undefined : () => begins });
    const exchange = new Exchange(transport, messages);
    await createServer().connect(transport);
    exchange.#response = await transport.handleRequest(request, { parsedBody: body });
    return exchange;
  }

  get response(): Response {
    if (this.#response === undefined) throw new Error('an exchange was used before it was open');
    return this.#response;
  }

  /** Cancels the request of this id, if it belongs to this exchange: it then gets no answer. */
  cancel(id: RequestId): void {
    if (!this.#unanswered.has(id)) return;
    if (this.#unanswered.size > 1) {
      this.#transport.onmessage?.({
        ...{ jsonrpc: '2.0', method: 'notifications/cancelled' },
        params: { requestId: id, reason: 'the client has cancelled it' },
      });
    }
    this.#settle(id);
  }

  /** Ends the response and cancels the calls that it still waits for. */
  close(): void {
    void this.#transport.close();
  }

  #settle(id: RequestId): void {
    this.#unanswered.delete(id);
    // The transport itself ends a stream only after an answer to each request, which a cancelled request never gets.
    if (this.#unanswered.size === 0) this.close();
  }
}
