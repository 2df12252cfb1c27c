import type { IncomingHttpHeaders, Server } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { DomainError } from '../contract/errors.js';
import type { LocalUsersSetting } from '../contract/settings.js';
import { APP_NAME } from '../contract/version.js';
import { corsHeaders, isPreflight } from './cors.js';
import { bodyOf, closeAfterUpgrade } from './errors.js';
import { machineOf } from './fleet-requests.js';
import type { LocalUsers } from './local-users/local-users.js';
import { isLoopbackAddress, isLoopbackHost, isLoopbackOrigin } from './loopback.js';
import { isOwnHost } from './own-host.js';
import type { Refusals } from './refusals.js';
import { bearerOf, isToken, isUpgrade, queryTokenOf, shownTokenOf } from './token.js';

/** Rules by which requests are refused. */
export interface GuardPolicy {
  /** Ports of the loopback whose pages are our own; 0 means no port. */
  pagePorts: readonly number[];
  /** Further origins, in lower case and without a trailing slash. */
  allowedOrigins: readonly string[];
  /** Whether other machines can reach the service, in which case every client must show the token. */
  exposed: boolean;
  /** Users of this machine that are served while the service is not exposed. */
  localUsers: LocalUsersSetting;
  /** The token. While undefined, no client can have it. */
  authToken: string | undefined;
  /** The next token while it is being created: the tool server shows it before any other client has it. */
  comingToken?: string | undefined;
  /** Returns whether a text is one of the tokens of guarded mode; absent in open mode. */
  isKnownToken?: ((text: string) => boolean) | undefined;
}

/** The parts of a request that the decision depends on. */
export interface Caller {
  method: string;
  /** Path and query. */
  url: string;
  headers: IncomingHttpHeaders;
  /** Address that the connection comes from. */
  address: string | undefined;
  /** Whether the connection comes from this machine, but from a user other than the service's own and root. */
  isOtherUser?: boolean;
  /** Whether the connection came through the unix socket, from the service's own user or from root. */
  isAdmitted?: boolean;
  /** Whether the request has several Host headers; a proxy in front may use another of them. */
  isHostRepeated?: boolean;
  /** Whether the answer to this request reveals nothing that needs the token. */
  needsNoToken?: boolean;
}

/** The listener of the dashboard, on which other rules hold. */
export interface Door {
  /** Returns whether the connection came through this listener. */
  owns(socket: Socket): boolean;
  /** Returns why a request that came through it is refused; `isUnrouted`: no route takes it. */
  refuse(caller: Caller, policy: GuardPolicy, isUnrouted: boolean): DomainError | undefined;
  /** Returns whether a request that came to the API is sent on to this listener, and so needs no token. */
  invites(request: FastifyRequest): boolean;
}

const HEALTH_PATHS: ReadonlySet<string> = new Set(['/health', '/api/health']);

/** Content types that any web page may send to any server without a preflight. */
const SIMPLE_TYPES: ReadonlySet<string> = new Set([
  'text/plain',
  'application/x-www-form-urlencoded',
  'multipart/form-data',
]);

const BODYLESS_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS', 'TRACE']);

function hasBody(headers: IncomingHttpHeaders): boolean {
  if (headers['transfer-encoding'] !== undefined) return true;
  return headers['content-length'] !== undefined && headers['content-length'] !== '0';
}

/** Returns why a request is refused, as the functions below do; undefined lets it pass. */
export function refuseHost(host: string | undefined, exposed: boolean): DomainError | undefined {
  // HTTP/1.0 allows a request without Host, but then it is unknown which host the request is meant for.
  if (host === undefined) return new DomainError('host-not-one');
  if (isLoopbackHost(host) || (exposed && isOwnHost(host))) return undefined;
  const names = exposed ? 'an address or name of this machine' : 'a loopback name or address';
  return new DomainError('host-not-allowed', `Host is not ${names}`);
}

/** Refuses connections from other machines that were opened while the service was exposed and are still open. */
export function refuseAddress(address: string | undefined, exposed: boolean): DomainError | undefined {
  if (exposed || address === undefined || isLoopbackAddress(address)) return undefined;
  return new DomainError('not-exposed');
}

/** While exposed, the token decides, and users of other machines cannot be distinguished anyway. */
function refusesOtherUsers({ exposed, localUsers }: Pick<GuardPolicy, 'exposed' | 'localUsers'>): boolean {
  return !exposed && localUsers === 'own';
}

export function refuseUser(isOtherUser: boolean, policy: GuardPolicy): DomainError | undefined {
  return isOtherUser && refusesOtherUsers(policy) ? new DomainError('other-user') : undefined;
}

/** Returns false for a connection on which every request is refused. */
export function isServed(
  socket: Socket,
  policy: Pick<GuardPolicy, 'exposed' | 'localUsers'>,
  users: LocalUsers,
): boolean {
  if (refuseAddress(socket.remoteAddress, policy.exposed)) return false;
  return !(refusesOtherUsers(policy) && users.isOther(socket));
}

/** Returns whether a request asks which service this is, which needs neither the token nor the instance id. */
export function asksWhoAnswers(url: string): boolean {
  return HEALTH_PATHS.has(url.split('?', 1)[0] ?? '');
}

/**
 * Checks the token: REST requests carry it as a bearer, upgrades in their query, since browsers cannot set headers
 * there.
 */
export function refuseToken(
  { url, headers, needsNoToken }: Caller,
  policy: GuardPolicy,
): DomainError | undefined {
  const { exposed, isKnownToken } = policy;
  if (!(exposed || isKnownToken) || needsNoToken || asksWhoAnswers(url)) return undefined;
  const inOpenMode = isUpgrade(headers) ? queryTokenOf(url) : bearerOf(headers);
  const token = isKnownToken ? shownTokenOf(url, headers) : inOpenMode;
  if (token !== undefined && isKnownToken?.(token)) return undefined;
  const right = [policy.authToken, policy.comingToken].filter((each) => each !== undefined);
  if (right.some((each) => isToken(token, each))) return undefined;
  return new DomainError('unauthorized');
}

function isAllowedOrigin(origin: string, policy: GuardPolicy): boolean {
  return (
    policy.pagePorts.some((port) => isLoopbackOrigin(origin, port)) ||
    policy.allowedOrigins.includes(origin.toLowerCase())
  );
}

export function refuseOrigin(origin: string | undefined, policy: GuardPolicy): DomainError | undefined {
  if (origin === undefined || isAllowedOrigin(origin, policy)) return undefined;
  return new DomainError('origin-not-allowed');
}

/**
 * Refuses bodies that are not declared as JSON. A page of another origin then needs a preflight, which it is refused.
 */
export function refuseContentType(method: string, headers: IncomingHttpHeaders): DomainError | undefined {
  if (BODYLESS_METHODS.has(method)) return undefined;
  const [type, ...parameters] = (headers['content-type']?.split(';') ?? []).map((part) =>
    part.trim().toLowerCase(),
  );
  if (type === undefined) return hasBody(headers) ? new DomainError('not-json') : undefined;
  if (type !== 'application/json')
    return new DomainError(SIMPLE_TYPES.has(type) ? 'form-not-allowed' : 'not-json');
  return refuseCoding(parameters, headers['content-encoding']);
}

/** Bodies are read as UTF-8, so a body in another charset or a compressed body would be misread. */
function refuseCoding(parameters: readonly string[], encoding: string | undefined): DomainError | undefined {
  const charset = parameters.find((each) => /^charset\s*=/.test(each));
  if (charset !== undefined && !/^charset\s*=\s*"?utf-?8"?$/.test(charset))
    return new DomainError('unsupported-charset');
  if (encoding === undefined || encoding.trim().toLowerCase() === 'identity') return undefined;
  return new DomainError('unsupported-encoding');
}

/**
 * Makes the whole decision. Origins are checked before the token, so that a page of another origin is refused with
 * any token.
 */
export function refuse(caller: Caller, policy: GuardPolicy): DomainError | undefined {
  const { method, headers } = caller;
  if (caller.isAdmitted) return refuseOrigin(headers.origin, policy) ?? refuseContentType(method, headers);
  return (
    refuseAddress(caller.address, policy.exposed) ??
    refuseUser(caller.isOtherUser ?? false, policy) ??
    refuseHost(caller.isHostRepeated ? undefined : headers.host, policy.exposed) ??
    refuseOrigin(headers.origin, policy) ??
    (isPreflight(method, headers) ? undefined : refuseToken(caller, policy)) ??
    refuseContentType(method, headers)
  );
}

/** Returns the `WWW-Authenticate` header: by RFC 6750, only a client that has shown a token gets an error code. */
export function challengeOf({ authorization }: IncomingHttpHeaders): string {
  const challenge = `Bearer realm="${APP_NAME}"`;
  return authorization === undefined ? challenge : `${challenge}, error="invalid_token"`;
}

/** Returns how often a header was sent. Of some headers Node silently keeps only the first. */
function countOf(name: string, rawHeaders: readonly string[]): number {
  return rawHeaders.filter((each, index) => index % 2 === 0 && each.toLowerCase() === name).length;
}

/**
 * Creates the `onRequest` hook for everything that the service listens to, unknown routes and upgrades included. It
 * reads the policy at each request, so a changed setting holds from the next request on.
 *
 * @param refusals - notes each refusal
 * @param door - the listener of the dashboard, where there is one
 */
export function createGuard(
  server: Server,
  policy: () => GuardPolicy,
  users: LocalUsers,
  refusals: Pick<Refusals, 'note'>,
  door?: Door,
) {
  // Node drops all headers behind the 2,000th, such as an Origin. Their bytes are limited all the same.
  server.maxHeadersCount = 0;
  users.follow(server, () => refusesOtherUsers(policy()));
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply | undefined> => {
    const { method, headers, url } = request;
    const { socket } = request;
    const current = policy();
    const isOtherUser = refusesOtherUsers(current) && users.isOther(socket);
    const isHostRepeated = countOf('host', request.raw.rawHeaders) > 1;
    // The rights of another machine were checked before its request was run.
    const isAdmitted = users.isAdmitted(socket) || machineOf(socket) !== undefined;
    const address = socket.remoteAddress;
    const caller = { method, url, headers, address, isOtherUser, isAdmitted, isHostRepeated };
    const isAtDoor = door?.owns(socket) ?? false;
    const refusal = isAtDoor
      ? door?.refuse(caller, current, request.is404)
      : refuse({ needsNoToken: door?.invites(request) ?? false, ...caller }, current);
    if (refusal !== undefined) {
      request.isStrange = true;
      refusals.note(refusal, address);
      closeAfterUpgrade(request, reply);
      // Every further request of this connection would be refused, too.
      if (isOtherUser) reply.header('connection', 'close');
      if (refusal.status === 401) reply.header('www-authenticate', challengeOf(headers));
      return reply.code(refusal.status).send(bodyOf(refusal));
    }
    // Pages of the dashboard are of the same origin, and no other page may read an answer there.
    if (isAtDoor || headers.origin === undefined) return undefined;
    const preflight = isPreflight(method, headers);
    reply.headers(corsHeaders(headers.origin, preflight));
    return preflight ? reply.code(204).send() : undefined;
  };
}
