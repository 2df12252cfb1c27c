import type { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { WebStandardStreamableHTTPServerTransport as Transport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js';
import type { RequestId } from '@modelcontextprotocol/sdk/types.js';
import { answeredBy, requestIdOf } from './messages.js';

export interface ExchangeOptions {
  createServer: () => Server;
  request: Request;
  /** The messages of the request; empty where it has none, or none that can be read. */
  messages: readonly unknown[];
  /** The JSON that they are; undefined where there is none, and the request then carries what it is. */
  body: unknown;
  /** Of the session that it may begin; it belongs to one, or to none, when absent. */
  begins?: string;
}

/**
 * One HTTP request with its answer: a server and a transport of its own. Two clients, or two calls, that use the same
 * request id cannot meet here, and whatever happens to one leaves nothing behind in another.
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

  static async open({ createServer, request, messages, body, begins }: ExchangeOptions): Promise<Exchange> {
    const transport = new Transport({ sessionIdGenerator: begins === undefined ? undefined : () => begins });
    const exchange = new Exchange(transport, messages);
    await createServer().connect(transport);
    exchange.#response = await transport.handleRequest(request, { parsedBody: body });
    return exchange;
  }

  get response(): Response {
    if (this.#response === undefined) throw new Error('an exchange is used once it is open');
    return this.#response;
  }

  /** Cancels the request of this id, if it is one of its own: it is not answered any more. */
  cancel(id: RequestId): void {
    if (!this.#unanswered.has(id)) return;
    if (this.#unanswered.size > 1) {
      this.#transport.onmessage?.({
        ...{ jsonrpc: '2.0', method: 'notifications/cancelled' },
        params: { requestId: id, reason: 'its client has cancelled it' },
      });
    }
    this.#settle(id);
  }

  /** Ends the answer; what it still waited for is cancelled. */
  close(): void {
    void this.#transport.close();
  }

  #settle(id: RequestId): void {
    this.#unanswered.delete(id);
    // The transport ends a stream only when it has sent an answer to each request.
    if (this.#unanswered.size === 0) this.close();
  }
}
