import { randomUUID } from 'node:crypto';
import type { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { ErrorCode, type RequestId } from '@modelcontextprotocol/sdk/types.js';
import {
  MAX_DELETED_SESSIONS,
  MAX_MCP_SESSIONS,
  MAX_SESSION_CALLS,
  MAX_SESSION_ID_CHARS,
} from '../src/contract/limits.js';
import { Exchange, type ExchangeOptions } from './exchange.js';
import { cancelledBy, isHello, MAX_BATCH, messagesOf, methodOf, requestIdOf } from './messages.js';

/** Header that carries a session's id. */
const SESSION_HEADER = 'mcp-session-id';

/** A session id: visible ASCII, as the protocol requires. */
const SESSION_ID = new RegExp(`^[\\x21-\\x7e]{1,${MAX_SESSION_ID_CHARS}}$`);

const NO_SESSION = 'Bad Request: Mcp-Session-Id header is required';

/** Methods of this server. All but the first need a session. */
const METHODS: ReadonlySet<string> = new Set(['initialize', 'ping', 'tools/list', 'tools/call']);

interface Session {
  /** Requests in work. */
  exchanges: Set<Exchange>;
  /** The stream that the client opened last. */
  stream?: Exchange | undefined;
  /** Time of the last use, on the clock of `performance.now()`. */
  lastUsed: number;
}

/** The answer to one HTTP request. */
export interface Answer {
  response: Response;
  /** Call it once the response has ended, or its client has left. It cancels the calls that the response still waits for. */
  ended: () => void;
}

export interface SessionsOptions {
  createServer: () => Server;
  /** Milliseconds after which an unused session is dropped. */
  idleMs: () => number;
}

/**
 * The MCP sessions of one sidecar. A session is little more than its id, since the tools keep nothing between two
 * calls. So an unknown session is accepted again under its id. A session that its client has deleted answers 404.
 */
export class Sessions {
  readonly #options: SessionsOptions;
  /** Sessions by id, the least recently used first. */
  readonly #sessions = new Map<string, Session>();
  /** Ids of the sessions that clients have deleted, oldest first. */
  readonly #deleted = new Set<string>();

  constructor(options: SessionsOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#sessions.size;
  }

  /**
   * Answers a request of the streamable HTTP transport.
   *
   * @param body - the JSON of a POST; undefined if its body is not JSON, and then `request` carries the body
   */
  async answer(request: Request, body: unknown): Promise<Answer> {
    const id = request.headers.get(SESSION_HEADER);
    const messages = messagesOf(body);
    if (messages.length > MAX_BATCH) return refused(400, { ...TOO_MANY_MESSAGES });
    if (isHello(messages)) return this.#begin({ request, messages, body });
    if (id === null) return withoutSession(request, body) ?? this.#begin({ request, messages, body });
    if (!SESSION_ID.test(id)) return refused(400, { message: 'Bad Request: Mcp-Session-Id is not valid' });
    if (this.#deleted.has(id)) return refused(404, { message: 'Session not found' });
    return this.#answerIn(id, { request, messages, body });
  }

  /** Drops sessions that have been unused for `idleMs`. */
  dropIdle(now: number): void {
    for (const [id, { exchanges, lastUsed }] of this.#sessions) {
      if (exchanges.size === 0 && now - lastUsed >= this.#options.idleMs()) this.#sessions.delete(id);
    }
  }

  /** Ends all streams and answers, and cancels calls in work. */
  close(): void {
    for (const session of this.#sessions.values()) closeAll(session);
  }

  /** Answers in a new session, which is kept only if its `initialize` succeeds. */
  async #begin(options: Omit<ExchangeOptions, 'createServer' | 'begins'>): Promise<Answer> {
    const id = randomUUID();
    const exchange = await this.#open({ ...options, begins: id });
    if (!exchange.response.ok) return { response: exchange.response, ended: () => exchange.close() };
    const session = this.#enter(id);
    return session ? this.#inSession(session, exchange) : this.#full(exchange);
  }

  async #answerIn(id: string, options: Omit<ExchangeOptions, 'createServer' | 'begins'>): Promise<Answer> {
    const { request, messages } = options;
    const session = this.#enter(id);
    if (!session) return refused(503, { message: 'Too many sessions are in use' });
    if (session.exchanges.size >= MAX_SESSION_CALLS)
      return refused(503, { message: 'Too many calls of this session are in progress' });
    const cancelled = messages.map(cancelledBy).filter((each) => each !== undefined);
    for (const each of cancelled) {
      for (const exchange of session.exchanges) exchange.cancel(each);
    }
    const exchange = await this.#open(options);
    // A batch may cancel its own calls.
    for (const each of cancelled) exchange.cancel(each);
    const { response } = exchange;
    response.headers.set(SESSION_HEADER, id);
    if (response.ok && request.method === 'DELETE') this.#forget(id, session);
    if (response.ok && request.method === 'GET') {
      // The previous stream may belong to a connection that broke without notice.
      session.stream?.close();
      session.stream = exchange;
    }
    return this.#inSession(session, exchange);
  }

  #open(options: Omit<ExchangeOptions, 'createServer'>): Promise<Exchange> {
    return Exchange.open({ ...options, createServer: this.#options.createServer });
  }

  #inSession(session: Session, exchange: Exchange): Answer {
    session.exchanges.add(exchange);
    return {
      response: exchange.response,
      ended: () => {
        exchange.close();
        session.exchanges.delete(exchange);
        if (session.stream === exchange) session.stream = undefined;
        session.lastUsed = performance.now();
      },
    };
  }

  #full(exchange: Exchange): Answer {
    exchange.close();
    return refused(503, { message: 'Too many sessions are in use' });
  }

  /** Returns the session of this id as the last used one, new if it is unknown; undefined if there is no room. */
  #enter(id: string): Session | undefined {
    const known = this.#sessions.get(id);
    if (known === undefined && !this.#makeRoom()) return undefined;
    const session = known ?? { exchanges: new Set(), lastUsed: 0 };
    session.lastUsed = performance.now();
    this.#sessions.delete(id);
    this.#sessions.set(id, session);
    return session;
  }

  /** Drops an idle session if there are too many. Returns whether there is room for one more. */
  #makeRoom(): boolean {
    if (this.#sessions.size < MAX_MCP_SESSIONS) return true;
    for (const [id, { exchanges }] of this.#sessions) {
      if (exchanges.size === 0) return this.#sessions.delete(id);
    }
    return false;
  }

  /** Removes a session that its client has deleted, and remembers its id. */
  #forget(id: string, session: Session): void {
    closeAll(session);
    this.#sessions.delete(id);
    this.#deleted.add(id);
    for (const oldest of this.#deleted) {
      if (this.#deleted.size <= MAX_DELETED_SESSIONS) break;
      this.#deleted.delete(oldest);
    }
  }
}

function closeAll({ exchanges }: Session): void {
  for (const exchange of exchanges) exchange.close();
}

/** Returns the answer to a request without a session; undefined for a body that is left to the transport. */
function withoutSession({ method }: Request, body: unknown): Answer | undefined {
  if (method !== 'POST') return refused(400, { message: NO_SESSION });
  const [id, asked] = [requestIdOf(body), methodOf(body)];
  if (id === undefined || asked === undefined) return undefined;
  // Clients of later protocol revisions first ask for the supported revisions, and infer them from this answer.
  return METHODS.has(asked)
    ? refused(400, { id, message: NO_SESSION })
    : refused(404, { id, message: `Method not found: ${asked}`, code: ErrorCode.MethodNotFound });
}

const TOO_MANY_MESSAGES = {
  message: `Invalid Request: a batch has at most ${MAX_BATCH} messages`,
  code: ErrorCode.InvalidRequest,
};

interface Refusal {
  message: string;
  /** Id of the request. */
  id?: RequestId;
  /** JSON-RPC error code; when absent, the code that the SDK's transport uses for this status. */
  code?: number;
}

function refused(status: number, { message, id, code }: Refusal): Answer {
  const error = { code: code ?? (status === 404 ? -32_001 : -32_000), message };
  const response = Response.json({ jsonrpc: '2.0', error, id: id ?? null }, { status });
  return { response, ended: () => undefined };
}
