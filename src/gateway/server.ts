import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import Fastify, {
  type FastifyBaseLogger,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify';
import type { Access } from '../actors/access/access.js';
import type { Config } from '../config/settings.js';
import { DomainError } from '../contract/errors.js';
import { MAX_BODY_BYTES, MAX_REQUEST_ID_CHARS, REQUEST_TIMEOUT_MS } from '../contract/limits.js';
import { type AccessHookOptions, useAccess } from './access/access-hook.js';
import { setAnswerHeaders } from './answer-headers.js';
import { type AuditHookOptions, useAudit } from './audit-hook.js';
import type { Dashboard } from './dashboard/dashboard.js';
import { answerBrokenHttp, answerError } from './errors.js';
import { machineOf } from './fleet-requests.js';
import { createGuard, type GuardPolicy } from './guard.js';
import { createInstanceCheck } from './instance-check.js';
import { useJsonBodies } from './json-body.js';
import type { LocalUsers } from './local-users/local-users.js';
import { registerOpenApi } from './openapi.js';
import { boundPipelines } from './pipelines.js';
import { Refusals } from './refusals.js';
import { RouteTable } from './route-table.js';
import { ownUrl } from './routes/machines.js';
import { sortUpgrades } from './upgrades.js';
import { type App, serializerCompiler, validatorCompiler, type ZodTypeProvider } from './validation.js';

export interface GatewayOptions {
  /** Returns the current configuration. */
  config: () => Config;
  /** Returns the configuration that a change in progress is about to make current. */
  coming?: () => Config | undefined;
  /** Identifies the running instance. */
  instanceId: string;
  logger: FastifyBaseLogger;
  /** Recognizes other users of this machine. */
  users: LocalUsers;
  /** The listener of the dashboard, whose connections are served, too. */
  dashboard?: Dashboard | undefined;
  /** The audit log; absent in a server without one. */
  audit?: AuditHookOptions | undefined;
  /** Decides what the tokens of guarded mode allow, and where a client of the unix socket runs. */
  access: { access: Access; terminalOf: AccessHookOptions['terminalOf'] };
  /**
   * Adds the WebSocket routes; called before the REST routes, so that the WebSocket plugin sees the REST routes, too.
   */
  registerWebSocket: (app: App) => void;
  registerRoutes: (app: App) => void;
}

/** Path parameters may be as long as a request line; an id that is too long is then simply unknown. */
const MAX_PARAM_CHARS = 16_384;

const REQUEST_ID = new RegExp(`^[A-Za-z0-9._:-]{1,${MAX_REQUEST_ID_CHARS}}$`);

/** Returns the client's own request id if it is fit for a log line, else a fresh UUID. */
function requestIdOf(request: Pick<IncomingMessage, 'headers'>): string {
  const given = request.headers['x-request-id'];
  return typeof given === 'string' && REQUEST_ID.test(given) ? given : randomUUID();
}

/** Creates the HTTP server of the service, ready to listen. The caller closes it. */
export function createGateway(options: GatewayOptions): App {
  const { dashboard } = options;
  // Fastify runs no hook for a path that is not a valid URL, so the guard runs here.
  async function answerUnrouted(error: unknown, request: FastifyRequest, reply: FastifyReply): Promise<void> {
    setAnswerHeaders(request, reply);
    if ((await guard(request, reply)) === undefined) await answerError(error, request, reply);
  }
  const app: App = Fastify({
    loggerInstance: options.logger,
    // Failures are logged where they are mapped to answers; a line for every request would bury them.
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: requestIdOf,
    bodyLimit: MAX_BODY_BYTES,
    requestTimeout: REQUEST_TIMEOUT_MS,
    // The guard refuses a missing Host, with our own message.
    http: { requireHostHeader: false },
    rewriteUrl: ({ url = '/' }) => ownUrl(url),
    routerOptions: { maxParamLength: MAX_PARAM_CHARS, ignoreTrailingSlash: true },
    // Requests that come while the server stops are refused below, after the guard.
    return503OnClosing: false,
    frameworkErrors: answerUnrouted,
    clientErrorHandler: answerBrokenHttp,
  }).withTypeProvider<ZodTypeProvider>();
  const { access } = options.access;
  const isKnownToken = (text: string) => access.tokens.find(text) !== undefined;
  const policy = () => ({
    comingToken: options.coming?.()?.network.authToken,
    isKnownToken: access.isGuarded ? isKnownToken : undefined,
    ...guardPolicyOf(options.config(), dashboard?.binding?.port),
  });
  const refusals = new Refusals(options.logger);
  const guard = createGuard(app.server, policy, options.users, refusals, dashboard);
  app.addHook('onClose', async () => refusals.end());
  dashboard?.serveBy(app);
  const isBusy = boundPipelines(app.server);
  app.addHook('onReady', async () => sortUpgrades(app.server, isBusy));

  app.setValidatorCompiler(validatorCompiler);
  app.setSerializerCompiler(serializerCompiler);
  app.setErrorHandler(async (error, request, reply) => {
    // Only the login of the dashboard throws this, for a wrong token; other requests without a right one do not get here.
    const isStranger = error instanceof DomainError && error.code === 'unauthorized';
    if (isStranger) refusals.note(error, request.raw.socket.remoteAddress);
    await answerError(error, request, reply);
  });
  app.setNotFoundHandler(() => {
    throw new DomainError('not-found');
  });
  app.decorateRequest('isFromDashboard', {
    getter(this: FastifyRequest) {
      return dashboard?.owns(this.raw.socket) ?? false;
    },
  });
  app.decorateRequest('fromMachine', {
    getter(this: FastifyRequest) {
      return machineOf(this.raw.socket);
    },
  });
  app.decorateRequest('isStrange', false);
  const table = new RouteTable();
  app.addHook('onRoute', ({ method, url }) => table.add(method, url));
  app.addHook('onRequest', async (request, reply) => {
    reply.header('x-request-id', request.id);
    setAnswerHeaders(request, reply);
    // A page of another site can ask without an `Origin`, as for an image. Its browser then withholds the answer.
    const readers = request.isFromDashboard ? 'same-origin' : 'same-site';
    reply.header('cross-origin-resource-policy', readers);
  });
  if (options.audit) useAudit(app, options.audit);
  app.addHook('onRequest', guard);
  useAccess(app, {
    ...options.access,
    ownTokens: () => {
      const { authToken, comingToken } = policy();
      return [authToken, comingToken].filter((each) => each !== undefined);
    },
    isAdmitted: ({ raw }) => options.users.isAdmitted(raw.socket),
    refusals,
  });
  app.addHook('onRequest', createInstanceCheck(options.instanceId));
  let isClosing = false;
  app.addHook('preClose', async () => {
    isClosing = true;
  });
  app.addHook('onRequest', async (request, reply) => {
    if (isClosing) throw new DomainError('shutting-down');
    // Refused before the body is read, since the body makes no difference.
    if (!request.is404 && !hasEmptySegment(request.url)) return undefined;
    return dashboard?.answer(request, reply) ?? refuseUnrouted(request.url, reply, table);
  });
  useJsonBodies(app);

  // Registered before all routes, since it documents only routes that come after it.
  registerOpenApi(app);
  options.registerWebSocket(app);
  app.register(async (routes: App) => options.registerRoutes(routes));
  return app;
}

/** Returns whether a path has two slashes in a row: the router would take the empty text between them for an id. */
function hasEmptySegment(url: string): boolean {
  return url.split('?', 1)[0]?.includes('//') ?? false;
}

/** Throws method-not-allowed for a path that is served with other methods, and not-found for any other path. */
function refuseUnrouted(url: string, reply: FastifyReply, table: RouteTable): never {
  const methods = table.methodsOf(url);
  if (methods.length === 0) throw new DomainError('not-found');
  reply.header('allow', methods.join(', '));
  throw new DomainError('method-not-allowed');
}

/** @param pagePort - where the dashboard listens; undefined while it does not: then a page from its port may be any program's */
export function guardPolicyOf({ network }: Config, pagePort: number | undefined): GuardPolicy {
  return {
    pagePorts: pagePort === undefined ? [] : [pagePort],
    allowedOrigins: network.allowedOrigins,
    exposed: network.expose,
    localUsers: network.localUsers,
    authToken: network.authToken,
  };
}
