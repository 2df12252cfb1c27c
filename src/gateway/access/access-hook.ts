import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Access } from '../../actors/access/access.js';
import type { ShownToken } from '../../actors/access/kept-token.js';
import { ALL_RIGHTS, type Rights } from '../../actors/access/rights.js';
import type { Need } from '../../contract/access.js';
import { DomainError } from '../../contract/errors.js';
import { bodyOf, closeAfterUpgrade } from '../errors.js';
import { challengeOf } from '../guard.js';
import { onClosed } from '../on-closed.js';
import type { Refusals } from '../refusals.js';
import { isToken, isUpgrade, shownTokenOf } from '../token.js';
import type { App } from '../validation.js';
import { needOfPlugin } from './needs.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** Rights of the client. */
    rights: Rights;
  }
}

export interface AccessHookOptions {
  access: Access;
  /** Returns the tokens of the service itself, with which everything is allowed. */
  ownTokens: () => readonly string[];
  /** Whether the connection came through the unix socket, from the service's own user or from root. */
  isAdmitted: (request: FastifyRequest) => boolean;
  /** Returns the terminal that the process at the other end of the unix socket runs in, as the kernel knows it. */
  terminalOf: (request: FastifyRequest) => Promise<string | null>;
  refusals: Pick<Refusals, 'note'>;
}

/**
 * In guarded mode, decides for each request what its token allows. Runs after the guard, which has refused clients that
 * show no valid token at all, and before the body is read.
 */
export function useAccess(app: App, options: AccessHookOptions): void {
  const { access, refusals } = options;
  app.decorateRequest('rights', {
    // Every right until the hook has run, and where no hook runs, as for a path that is not a valid URL.
    getter(this: FastifyRequest) {
      return rightsOf.get(this) ?? ALL_RIGHTS;
    },
  });
  const rightsOf = new WeakMap<FastifyRequest, Rights>();
  app.addHook('onRoute', (route) => {
    const need = needOfPlugin(route.url);
    if (need) route.config = { ...route.config, access: need };
  });

  app.addHook('onRequest', async (request, reply) => {
    const need = request.routeOptions.config.access;
    request.isStrange = request.is404 || need?.reach === 'open';
    if (!access.isGuarded || request.isStrange) return undefined;
    const rights = await identify(request, options);
    request.isStrange = rights === undefined;
    if (!rights) return refuse(request, reply, new DomainError('unauthorized'), refusals);
    rightsOf.set(request, rights);
    const refusal = rateRefusal(rights, need) ?? refusalOf(rights, need);
    if (refusal) return refuse(request, reply, refusal, refusals);
    if (rights.holder) endWith(rights.holder, request, reply, access);
    return undefined;
  });

  // Counts all refusals, including those of the guard and of handlers.
  app.addHook('onResponse', async ({ rights }, { statusCode }) =>
    access.answered(statusCode, rights.isBound),
  );

  // Runs once the body is validated, and before an Idempotency-Key is looked at.
  app.addHook('preHandler', async (request) => {
    const { rights } = request;
    if (!rights.isBound || request.routeOptions.config.access?.reach !== 'terminal') return;
    const { id, terminalId } = (request.params ?? {}) as { id?: string; terminalId?: string };
    rights.requireSight([terminalId ?? id ?? '']);
  });
}

/** Returns the rights of the client; undefined for a client without a valid token. */
async function identify(request: FastifyRequest, options: AccessHookOptions): Promise<Rights | undefined> {
  const { access, ownTokens, isAdmitted, terminalOf } = options;
  // The guard has admitted it by its session, or by the service's own token.
  if (request.isFromDashboard) return ALL_RIGHTS;
  // Other machines have grants, which are checked before their requests are run.
  if (request.fromMachine !== undefined) return ALL_RIGHTS;
  const shown = shownTokenOf(request.url, request.headers);
  if (shown === undefined) {
    if (!isAdmitted(request)) return undefined;
    const terminalId = await terminalOf(request);
    // A program with fewer rights than its user must not gain rights by leaving its token out, nor once
    // the token has ended.
    return terminalId !== null && access.isGranted(terminalId) ? undefined : ALL_RIGHTS;
  }
  if (ownTokens().some((own) => isToken(shown, own))) return ALL_RIGHTS;
  const holder = access.tokens.find(shown);
  return holder && access.rightsOf(holder);
}

function refusalOf(rights: Rights, need: Need | undefined): DomainError | undefined {
  if (!rights.holder) return undefined;
  // A route that declares no needs is only for tokens that allow everything.
  const { verbs, reach } = need ?? { verbs: ['admin'] as const, reach: 'whole' };
  const missing = thrownBy(() => rights.require(...verbs));
  if (missing) return missing;
  if (!rights.isBound || reach !== 'whole') return undefined;
  return new DomainError(
    'outside-scope',
    'The token is bound to some terminals, and this route is about all',
  );
}

/** Counts the request, unless it only asks what the token allows: the tool server does so for each of its requests. */
function rateRefusal(rights: Rights, need: Need | undefined): DomainError | undefined {
  const isAboutItself = need?.verbs.length === 0 && need.reach === 'none';
  return isAboutItself ? undefined : thrownBy(() => rights.count());
}

function thrownBy(check: () => void): DomainError | undefined {
  try {
    check();
    return undefined;
  } catch (error) {
    if (error instanceof DomainError) return error;
    throw error;
  }
}

function refuse(
  request: FastifyRequest,
  reply: FastifyReply,
  refusal: DomainError,
  refusals: Pick<Refusals, 'note'>,
): FastifyReply {
  refusals.note(refusal, request.raw.socket.remoteAddress);
  closeAfterUpgrade(request, reply);
  if (refusal.status === 401) reply.header('www-authenticate', challengeOf(request.headers));
  const { retryAfterMs } = refusal.details;
  if (typeof retryAfterMs === 'number') reply.header('retry-after', Math.ceil(retryAfterMs / 1_000));
  return reply.code(refusal.status).send(bodyOf(refusal));
}

/** Breaks off the connection of a request when its token ends, unless its answer was sent before. */
function endWith(holder: ShownToken, request: FastifyRequest, reply: FastifyReply, access: Access): void {
  const { socket } = request.raw;
  access.tokens.noteUse(holder.id);
  const endsAt = () => access.tokens.endOf(holder);
  const done = access.connections.add(holder.id, endsAt, () => socket.destroy());
  // The socket of an upgrade goes on as a WebSocket, and its answer never ends.
  if (isUpgrade(request.headers)) socket.once('close', done);
  else onClosed(reply.raw, done);
}
