import { isUtf8 } from 'node:buffer';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as delay } from 'node:timers/promises';
import Fastify, {
  type FastifyBaseLogger,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify';
import { DomainError } from '../src/contract/errors.js';
import { LAST_ANSWERS_MS, MAX_BODY_BYTES, MCP_STALL_MS, REQUEST_TIMEOUT_MS } from '../src/contract/limits.js';
import { MCP_NAME, VERSION } from '../src/contract/version.js';
import { setAnswerHeaders } from '../src/gateway/answer-headers.js';
import { answerBrokenHttp, answerError, bodyOf } from '../src/gateway/errors.js';
import { createGuard, type GuardPolicy } from '../src/gateway/guard.js';
import type { LocalUsers } from '../src/gateway/local-users/local-users.js';
import { boundPipelines } from '../src/gateway/pipelines.js';
import type { App, ZodTypeProvider } from '../src/gateway/validation.js';
import type { Answer, Sessions } from './sessions.js';

export interface HttpOptions {
  sessions: Sessions;
  policy: () => GuardPolicy;
  /** Tells other users of this machine. */
  users: LocalUsers;
  /** Of the service that it belongs to; null where it talks to any. */
  instanceId: () => string | null;
  logger: FastifyBaseLogger;
}

/** Path of the streamable HTTP transport. */
export const MCP_PATH = '/mcp';

const METHODS = ['GET', 'POST', 'DELETE'] as const;

const TOKEN_NEEDED =
  'Send the setting network.authToken of the service as the header "Authorization: Bearer <token>"';

/** The HTTP server of the sidecar, ready to listen. Its `close` waits a moment for answers that are on their way. */
export function createHttp({ sessions, policy, users, instanceId, logger }: HttpOptions): App {
  const app = Fastify({
    loggerInstance: logger,
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: MAX_BODY_BYTES,
    requestTimeout: REQUEST_TIMEOUT_MS,
    // A HEAD must not open a stream.
    exposeHeadRoutes: false,
    // Streams of clients end only when they are ended.
    forceCloseConnections: true,
    // A missing Host is the guard's to refuse, in our own words.
    http: { requireHostHeader: false },
    frameworkErrors: async (error, request, reply) => {
      if ((await guard(request, reply)) === undefined) await answerError(error, request, reply);
    },
    clientErrorHandler: answerBrokenHttp,
  }).withTypeProvider<ZodTypeProvider>() as App;
  const guard = createGuard(app.server, policy, users);
  boundPipelines(app.server);
  app.setErrorHandler(answerError);
  app.setNotFoundHandler(() => {
    throw new DomainError('not-found');
  });
  app.addHook('onRequest', async (request, reply) => setAnswerHeaders(request, reply));
  app.addHook('onRequest', guard);
  // Clients of the SDK take the refusal for one of OAuth, and show this part of it.
  app.addHook('preSerialization', async (_request, reply, body) =>
    reply.statusCode === 401 ? { ...(body as object), error_description: TOKEN_NEEDED } : body,
  );
  // As text: what is no JSON is answered by the transport, in the protocol's own words.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, body: Buffer, done) =>
    isUtf8(body) ? done(null, body.toString()) : done(new DomainError('invalid-utf8')),
  );

  app.get('/health', async () => ({
    ...{ status: 'ok', app: MCP_NAME, instanceId: instanceId(), version: VERSION },
  }));
  const posts = new Set<Promise<void>>();
  app.route({
    method: [...METHODS],
    url: MCP_PATH,
    handler: async (request, reply) => {
      const exchanged = exchange(request, reply);
      if (request.method === 'POST') posts.add(exchanged);
      await exchanged.finally(() => posts.delete(exchanged));
    },
  });
  // What closes connections comes after this. A stream that ends without its answer leaves a client waiting for it.
  app.addHook('preClose', async () => {
    await Promise.race([Promise.allSettled(posts), delay(LAST_ANSWERS_MS, undefined, { ref: false })]);
  });
  app.route({
    method: ['HEAD', 'PUT', 'PATCH', 'OPTIONS'],
    url: MCP_PATH,
    handler: async (_request, reply) =>
      reply
        .code(405)
        .header('allow', METHODS.join(', '))
        .send(bodyOf(new DomainError('method-not-allowed'))),
  });
  return app;

  async function exchange(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const text = request.body as string | undefined;
    await send(request, reply, await sessions.answer(webRequestOf(request, text), parsed(text)), logger);
  }
}

/** The request as the transport takes it; the body only where it cannot be had as JSON. */
function webRequestOf({ method, url, headers }: FastifyRequest, text: string | undefined): Request {
  const web = new Headers();
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined) web.set(name, Array.isArray(value) ? value.join(', ') : value);
  }
  // The SDK wants each of its types by name.
  if (acceptsAll(headers.accept)) web.set('accept', 'application/json, text/event-stream');
  const hasBody = method === 'POST' && text !== undefined;
  return new Request(`http://localhost${url}`, { method, headers: web, ...(hasBody && { body: text }) });
}

/** Whether any type will do: a client says so by the wildcard, or by no word about it. */
function acceptsAll(accept: string | undefined): boolean {
  const types = accept?.split(',').map((each) => each.split(';', 1)[0]?.trim());
  return types?.includes('*/*') ?? true;
}

function parsed(text: string | undefined): unknown {
  try {
    return text === undefined ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Sends it as it comes; a client that leaves ends its stream. */
async function send(
  request: FastifyRequest,
  reply: FastifyReply,
  { response, ended }: Answer,
  logger: FastifyBaseLogger,
): Promise<void> {
  reply.hijack();
  const { raw } = reply;
  raw.statusCode = response.status;
  for (const [name, value] of Object.entries(reply.getHeaders()))
    if (value !== undefined) raw.setHeader(name, value);
  raw.setHeaders(response.headers);
  // Whether it is kept is between this server and its client.
  raw.removeHeader('connection');
  // Streams that wait say so more often than this.
  raw.setTimeout(MCP_STALL_MS, () => raw.destroy());
  // A stream may have nothing to say for long; its client waits for the head.
  if (request.method === 'GET') raw.flushHeaders();
  try {
    if (response.body) await pipeline(Readable.fromWeb(response.body), raw);
    else raw.end();
  } catch (err) {
    logger.debug({ err }, 'a client left before its answer had ended');
  } finally {
    ended();
  }
}
