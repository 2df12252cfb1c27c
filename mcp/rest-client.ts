import { Agent, type Dispatcher, request } from 'undici';
import type { z } from 'zod';
import { CLIENT_HEADER, INSTANCE_HEADER } from '../src/contract/headers.js';
import { APP_NAME } from '../src/contract/version.js';
import { RestRefusal, ServiceUnreachable, ToolError } from './errors.js';

/** The API to send requests to, and the credentials to send. */
export interface RestTarget {
  /** Origin of the API. */
  apiUrl: string;
  token?: string | undefined;
  /** Id of the only instance of the service to talk to; any instance when absent. */
  instanceId?: string | undefined;
}

type Query = Record<string, string | number | boolean | undefined>;

/**
 * The REST API during one tool call. Answers are validated by the contract's schemas. Every method rejects with
 * RestRefusal, with ServiceUnreachable, with ToolError if something other than the service answers, and with the
 * signal's reason.
 */
export interface Rest {
  get<Answer>(path: string, answer: z.ZodType<Answer>, query?: Query): Promise<Answer>;
  post<Answer>(path: string, answer: z.ZodType<Answer>, body: unknown): Promise<Answer>;
  delete<Answer>(path: string, answer: z.ZodType<Answer>): Promise<Answer>;
  /** Returns the bytes of an answer that is not JSON. */
  bytes(path: string): Promise<Buffer>;
}

/** Error codes of connections that were never established. */
const NEVER_SENT: ReadonlySet<string> = new Set([
  ...['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH'],
  ...['UND_ERR_CONNECT_TIMEOUT', 'EPROTO'],
]);

/** Error codes of connections whose peer speaks no TLS, or has no trusted certificate. */
const NO_TLS = /^ERR_(?:SSL|TLS)_|CERT|SELF_SIGNED|UNABLE_TO_/;

/** Error code of a request that {@link RestClient.close} has ended. */
const CLOSED = 'UND_ERR_DESTROYED';

const STOPPED =
  'The tool server has been stopped. It is unknown whether the call took effect; once the tool server ' +
  'runs again, check with list_terminals before you repeat it.';

/** Sends requests to the REST API over kept connections. */
export class RestClient {
  readonly #target: () => RestTarget;
  // No timeouts: a long poll answers late, within the time limit that its own request names.
  readonly #agent = new Agent({ headersTimeout: 0, bodyTimeout: 0 });

  constructor(target: () => RestTarget) {
    this.#target = target;
  }

  /** Returns the API for one call; its requests are aborted with the signal. */
  during(signal: AbortSignal): Rest {
    const ask = async <Answer>(
      method: Dispatcher.HttpMethod,
      path: string,
      answer: z.ZodType<Answer>,
      body?: unknown,
    ): Promise<Answer> => {
      const text = (await this.#send(method, path, body, signal)).toString();
      const parsed = answer.safeParse(parseJson(text));
      if (parsed.success) return parsed.data;
      throw new ToolError(notOurs(this.#target().apiUrl), { cause: parsed.error });
    };
    return {
      get: (path, answer, query) => ask('GET', path + queryOf(query), answer),
      post: (path, answer, body) => ask('POST', path, answer, body),
      delete: (path, answer) => ask('DELETE', path, answer),
      bytes: (path) => this.#send('GET', path, undefined, signal),
    };
  }

  /** Ends the kept connections and aborts requests in work. */
  async close(): Promise<void> {
    await this.#agent.destroy();
  }

  /** Resolves with the body of the answer. */
  async #send(
    method: Dispatcher.HttpMethod,
    path: string,
    body: unknown,
    signal: AbortSignal,
  ): Promise<Buffer> {
    const { apiUrl, token, instanceId } = this.#target();
    const headers: Record<string, string> = { [CLIENT_HEADER]: 'mcp' };
    if (token !== undefined) headers.authorization = `Bearer ${token}`;
    if (instanceId !== undefined) headers[INSTANCE_HEADER] = instanceId;
    if (body !== undefined) headers['content-type'] = 'application/json';
    const { statusCode, bytes } = await this.#exchange(`${apiUrl}${path}`, {
      ...{ method, headers, signal, dispatcher: this.#agent },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    if (statusCode < 300) return bytes;
    // The token changed while the request was on its way. The service refused the request without any effect.
    if (statusCode === 401 && this.#target().token !== token) return this.#send(method, path, body, signal);
    const json = parseJson(bytes.toString());
    const refusal = typeof json === 'object' && json !== null ? (json as Record<string, unknown>) : {};
    if (typeof refusal.error !== 'string') throw new ToolError(notOurs(apiUrl));
    throw new RestRefusal(statusCode, refusal.error, refusal);
  }

  async #exchange(
    url: string,
    options: Parameters<typeof request>[1] & { signal: AbortSignal },
  ): Promise<{ statusCode: number; bytes: Buffer }> {
    try {
      const { statusCode, body } = await request(url, options);
      return { statusCode, bytes: Buffer.from(await body.arrayBuffer()) };
    } catch (error) {
      options.signal.throwIfAborted();
      if (codeOf(error) === CLOSED) throw new ToolError(STOPPED, { cause: error });
      throw new ServiceUnreachable(this.#target().apiUrl, wasSent(codeOf(error)), error);
    }
  }
}

function wasSent(code: string): boolean {
  return !NEVER_SENT.has(code) && !NO_TLS.test(code);
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function queryOf(query: Query = {}): string {
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined) params.set(name, String(value));
  return params.size === 0 ? '' : `?${params}`;
}

function notOurs(apiUrl: string): string {
  return `The program that answers at ${apiUrl} is not ${APP_NAME} of this version. Set AUTO_TERMINAL_API_URL to the address of ${APP_NAME}.`;
}
