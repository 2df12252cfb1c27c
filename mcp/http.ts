import { isUtf8 } from 'node:buffer';
import type { IncomingHttpHeaders } from 'node:http';
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
import { asksWhoAnswers, challengeOf, createGuard, type GuardPolicy } from '../src/gateway/guard.js';
import type { LocalUsers } from '../src/gateway/local-users/local-users.js';
import { boundPipelines } from '../src/gateway/pipelines.js';
import { Refusals } from '../src/gateway/refusals.js';
import type { App, ZodTypeProvider } from '../src/gateway/validation.js';
import type { Answer, Sessions } from './sessions.js';

export interface HttpOptions {
  sessions: Sessions;
  policy: () => GuardPolicy;
  /** Detects connections from other users of this machine. */
  users: LocalUsers;
  /** Resolves with whether the service knows the token that a request shows, where it must show one. */
  isKnown: (headers: IncomingHttpHeaders) => Promise<boolean>;
  /** Calls `onEnded` once the token that a request shows has ended, until the returned function is called. */
  whenEnded: (headers: IncomingHttpHeaders, onEnded: () => void) => () => void;
  /** Id of the service instance that the sidecar belongs to; null if it talks to any. */
  instanceId: () => string | null;
  logger: FastifyBaseLogger;
}

/** Path of the streamable HTTP transport. */
export const MCP_PATH = '/mcp';

const METHODS = ['GET', 'POST', 'DELETE'] as const;

const TOKEN_NEEDED =
  'Send the setting network.authToken of the service, or a token that it has made, as the header "Authorization: Bearer <token>"';

/** Returns the sidecar's HTTP server, ready to listen. Its `close` waits up to LAST_ANSWERS_MS for last answers. */
export function createHttp(options: HttpOptions): App {
  const { sessions, policy, users, isKnown, whenEnded, instanceId, logger } = options;
  const app = Fastify({
    loggerInstance: logger,
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: MAX_BODY_BYTES,
    requestTimeout: REQUEST_TIMEOUT_MS,
    // A HEAD must not open a stream.
    exposeHeadRoutes: false,
    // Clients keep their streams open until the server closes them.
    forceCloseConnections: true,
    // The guard refuses a missing Host, with our own message.
    http: { requireHostHeader: false },
    frameworkErrors: async (error, request, reply) => {
      if ((await guard(request, reply)) === undefined) await answerError(error, request, reply);
    },
    clientErrorHandler: answerBrokenHttp,
  }).withTypeProvider<ZodTypeProvider>() as App;
  const refusals = new Refusals(logger);
  const guard = createGuard(app.server, policy, users, refusals);
  app.addHook('onClose', async () => refusals.end());
  boundPipelines(app.server);
  app.setErrorHandler(answerError);
  app.setNotFoundHandler(() => {
    throw new DomainError('not-found');
  });
  app.addHook('onRequest', async (request, reply) => setAnswerHeaders(request, reply));
  app.addHook('onRequest', guard);
  app.addHook('onRequest', async ({ headers, url }, reply) => {
    if (asksWhoAnswers(url) || (await isKnown(headers))) return;
    reply.header('www-authenticate', challengeOf(headers));
    throw new DomainError('unauthorized');
  });
  // Clients of the SDK take a 401 for an OAuth error, and show its `error_description`.
  app.addHook('preSerialization', async (_request, reply, body) =>
    reply.statusCode === 401 ? { ...(body as object), error_description: TOKEN_NEEDED } : body,
  );
  // The body is kept as text: the transport answers invalid JSON with the protocol's own error.
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
  // Connections are closed after this hook. A client whose stream ends without the answer would wait for the answer.
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
    const answer = await sessions.answer(webRequestOf(request, text), parsed(text));
    // A call with an ended token fails, since the service refuses it. A stream without calls would never detect the end.
    const isStream = request.method === 'GET';
    const unfollow = isStream ? whenEnded(request.headers, () => reply.raw.destroy()) : () => undefined;
    await send(request, reply, answer, logger).finally(unfollow);
  }
}

/** Returns the request for the transport. The transport uses this body only if the body is not JSON. */
function webRequestOf({ method, url, headers }: FastifyRequest, text: string | undefined): Request {
  const web = new Headers();
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined) web.set(name, Array.isArray(value) ? value.join(', ') : value);
  }
  // The SDK requires each of its types by name.
  if (acceptsAll(headers.accept)) web.set('accept', 'application/json, text/event-stream');
  const hasBody = method === 'POST' && text !== undefined;
  return new Request(`http://localhost${url}`, { method, headers: web, ...(hasBody && { body: text }) });
}

/** Returns whether the client accepts any type: by the wildcard, or by no Accept header at all. */
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

/** Sends a response as it is produced; its stream ends when the client leaves. */
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
  // This server, not the transport, decides whether the connection is kept.
  raw.removeHeader('connection');
  // Idle streams survive this timeout: the SDK's transport sends keep-alive comments more often.
  raw.setTimeout(MCP_STALL_MS, () => raw.destroy());
  // A stream may send nothing for long, but its client waits for the head.
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
