import { randomUUID } from 'node:crypto';
import type { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { WebStandardStreamableHTTPServerTransport as Transport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js';
import {
  ErrorCode,
  isInitializeRequest,
  isJSONRPCRequest,
  LATEST_PROTOCOL_VERSION,
  type RequestId,
} from '@modelcontextprotocol/sdk/types.js';
import { MAX_DELETED_SESSIONS, MAX_MCP_SESSIONS, MAX_SESSION_ID_CHARS } from '../src/contract/limits.js';

/** Header that carries a session's id. */
const SESSION_HEADER = 'mcp-session-id';
const VERSION_HEADER = 'mcp-protocol-version';

/** Visible ASCII, as the protocol has it. */
const SESSION_ID = new RegExp(`^[\\x21-\\x7e]{1,${MAX_SESSION_ID_CHARS}}$`);

interface Session {
  transport: Transport;
  /** Resolves when it takes requests. */
  ready: Promise<unknown>;
  /** Answers that have not ended, streams included. */
  open: number;
  /** As `Date.now()`. */
  lastUsed: number;
}

/** One HTTP request and its answer. */
export interface Exchange {
  response: Response;
  /** To be called once the answer has ended, and whether it went out whole: else what it was to answer is cancelled. */
  ended: (isWhole: boolean) => void;
}

export interface SessionsOptions {
  createServer: () => Server;
  /** Milliseconds after which a session that nobody uses is dropped. */
  idleMs: () => number;
}

/** The MCP sessions of one sidecar: each has a server and a transport of its own. */
export class Sessions {
  readonly #options: SessionsOptions;
  /** By id, the one that was used longest ago first. */
  readonly #sessions = new Map<string, Session>();
  /** Ids whose clients have ended them, oldest first. */
  readonly #deleted = new Set<string>();

  constructor(options: SessionsOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#sessions.size;
  }

  /**
   * Answers a request of the streamable HTTP transport. A session that is not known is taken up again under its id;
   * one that its client has deleted answers 404.
   *
   * @param body - the JSON of a POST; undefined where it is none, and the request then carries what it is
   */
  async exchange(request: Request, body: unknown): Promise<Exchange> {
    const id = request.headers.get(SESSION_HEADER);
    const isBeginning = messagesOf(body).some((message) => isInitializeRequest(message));
    if (isBeginning) return this.#begin(request, body);
    if (id === null) return withoutSession(request, body) ?? this.#begin(request, body);
    if (!SESSION_ID.test(id)) return refused(400, 'Bad Request: Mcp-Session-Id is not valid');
    if (this.#deleted.has(id)) return refused(404, 'Session not found');
    const session = this.#sessions.get(id) ?? this.#takeUp(id, request.headers.get(VERSION_HEADER));
    if (session === undefined) return refused(503, 'Too many sessions are in use');
    this.#use(id, session);
    await session.ready;
    return this.#answer(session, request, body);
  }

  /** Drops what has not been used for the time of the setting. */
  dropIdle(now: number): void {
    for (const [id, session] of this.#sessions) {
      if (session.open === 0 && now - session.lastUsed >= this.#options.idleMs()) this.#drop(id, session);
    }
  }

  /** Ends all of them; calls in work are cancelled. */
  async close(): Promise<void> {
    await Promise.all([...this.#sessions.values()].map(({ transport }) => transport.close()));
  }

  /** A fresh session, which is kept once its client has said hello. */
  async #begin(request: Request, body: unknown): Promise<Exchange> {
    if (!this.#makeRoom()) return refused(503, 'Too many sessions are in use');
    const session = this.#create(randomUUID(), (id) => this.#sessions.set(id, session));
    await session.ready;
    return this.#answer(session, request, body);
  }

  /** A known client goes on: its hello is said for it. */
  #takeUp(id: string, protocolVersion: string | null): Session | undefined {
    if (!this.#makeRoom()) return undefined;
    const session = this.#create(id, () => undefined);
    session.ready = session.ready.then(() => greet(session.transport, protocolVersion));
    return session;
  }

  #create(id: string, onBegun: (id: string) => void): Session {
    const transport = new Transport({
      sessionIdGenerator: () => id,
      onsessioninitialized: onBegun,
      onsessionclosed: () => this.#forget(id),
    });
    const ready = this.#options.createServer().connect(transport);
    return { transport, ready, open: 0, lastUsed: Date.now() };
  }

  async #answer(session: Session, request: Request, body: unknown): Promise<Exchange> {
    session.open += 1;
    const response = await session.transport.handleRequest(request, { parsedBody: body });
    const requests = messagesOf(body).filter((message) => isJSONRPCRequest(message));
    return {
      response,
      ended: (isWhole) => {
        session.open -= 1;
        session.lastUsed = Date.now();
        if (!isWhole) cancel(session.transport, requests);
      },
    };
  }

  /** Puts it behind those that were used before. */
  #use(id: string, session: Session): void {
    session.lastUsed = Date.now();
    this.#sessions.delete(id);
    this.#sessions.set(id, session);
  }

  /** Whether there is room for one more. */
  #makeRoom(): boolean {
    if (this.#sessions.size < MAX_MCP_SESSIONS) return true;
    const idle = [...this.#sessions].find(([, { open }]) => open === 0);
    if (idle) this.#drop(...idle);
    return idle !== undefined;
  }

  #drop(id: string, { transport }: Session): void {
    this.#sessions.delete(id);
    void transport.close();
  }

  /** Its client has ended it. */
  #forget(id: string): void {
    this.#sessions.delete(id);
    this.#deleted.add(id);
    for (const oldest of this.#deleted) {
      if (this.#deleted.size <= MAX_DELETED_SESSIONS) break;
      this.#deleted.delete(oldest);
    }
  }
}

/** Says a client's hello, so that its transport takes what comes. */
async function greet(transport: Transport, protocolVersion: string | null): Promise<void> {
  const post = async (message: Record<string, unknown>, headers: Record<string, string> = {}) => {
    const request = new Request('http://localhost/mcp', {
      method: 'POST',
      headers: {
        accept: 'application/json, text/event-stream',
        'content-type': 'application/json',
        ...headers,
      },
    });
    const response = await transport.handleRequest(request, { parsedBody: { jsonrpc: '2.0', ...message } });
    await response.text();
  };
  await post({
    id: 'hello',
    method: 'initialize',
    params: {
      protocolVersion: protocolVersion ?? LATEST_PROTOCOL_VERSION,
      capabilities: {},
      clientInfo: { name: 'taken up again', version: '0' },
    },
  });
  const { sessionId = '' } = transport;
  await post({ method: 'notifications/initialized' }, { [SESSION_HEADER]: sessionId });
}

/** The answer can never arrive: its requests are cancelled as their client would. */
function cancel(transport: Transport, requests: { id: RequestId }[]): void {
  for (const { id } of requests) {
    transport.onmessage?.({
      jsonrpc: '2.0',
      method: 'notifications/cancelled',
      params: { requestId: id, reason: 'the connection that was to carry the answer has closed' },
    });
  }
}

/** A body is one message or, for older clients, several. */
function messagesOf(body: unknown): unknown[] {
  if (body === undefined) return [];
  return Array.isArray(body) ? body : [body];
}

/** Methods of this server; a session is needed for each but the first. */
const METHODS: ReadonlySet<string> = new Set(['initialize', 'ping', 'tools/list', 'tools/call']);

/** The answer to what belongs to no session; undefined for a body that the transport knows better what to say about. */
function withoutSession({ method }: Request, body: unknown): Exchange | undefined {
  const needed = 'Bad Request: Mcp-Session-Id header is required';
  if (method !== 'POST') return refused(400, needed);
  if (!isJSONRPCRequest(body)) return undefined;
  // Clients of later revisions of the protocol ask first which ones are spoken here, and know by this answer.
  return METHODS.has(body.method)
    ? refused(400, needed, { id: body.id })
    : refused(404, `Method not found: ${body.method}`, { id: body.id, code: ErrorCode.MethodNotFound });
}

interface Refusal {
  /** Of the request. */
  id?: RequestId;
  /** As JSON-RPC has them; that of the SDK's transport for this status when absent. */
  code?: number;
}

function refused(status: number, message: string, { id, code }: Refusal = {}): Exchange {
  const error = { code: code ?? (status === 404 ? -32_001 : -32_000), message };
  const response = Response.json({ jsonrpc: '2.0', error, id: id ?? null }, { status });
  return { response, ended: () => undefined };
}
