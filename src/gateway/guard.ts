import type { IncomingHttpHeaders } from 'node:http';
import type { Server, Socket } from 'node:net';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { DomainError } from '../contract/errors.js';
import type { LocalUsersSetting } from '../contract/settings.js';
import { APP_NAME } from '../contract/version.js';
import { bodyOf, closeAfterUpgrade } from './errors.js';
import type { LocalUsers } from './local-users/local-users.js';
import { isLoopbackAddress, isLoopbackHost, isLoopbackOrigin } from './loopback.js';
import { isOwnHost } from './own-host.js';
import { bearerOf, isToken, queryTokenOf } from './token.js';

/** Who may ask. */
export interface GuardPolicy {
  /** Pages served from these ports of the loopback are our own; 0 is none. */
  pagePorts: readonly number[];
  /** Further origins, in lower case and without a trailing slash. */
  allowedOrigins: readonly string[];
  /** Reachable from other machines, so that everybody must show the token. */
  exposed: boolean;
  /** Which users of this machine are served while it is not exposed. */
  localUsers: LocalUsersSetting;
  /** While there is none, nobody has it. */
  authToken: string | undefined;
  /** The next one, while it is being made: the tool server shows it before anybody else has it. */
  comingToken?: string | undefined;
}

/** Who asks for what, as far as the decision goes. */
export interface Caller {
  method: string;
  /** Path and query. */
  url: string;
  headers: IncomingHttpHeaders;
  /** Address that the connection comes from. */
  address: string | undefined;
  /** On this machine, another user than the service's own and root. */
  isOtherUser?: boolean;
  /** It names its Host more than once: a proxy in front may go by another of them. */
  isHostRepeated?: boolean;
}

const HEALTH_PATHS: ReadonlySet<string> = new Set(['/health', '/api/health']);

/** Content types that any web page may send anywhere without a preflight. */
const SIMPLE_TYPES: ReadonlySet<string> = new Set([
  'text/plain',
  'application/x-www-form-urlencoded',
  'multipart/form-data',
]);

const BODYLESS_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS', 'TRACE']);

/** What a page may send along; the last three are those of MCP. */
const ALLOWED_HEADERS = [
  ...['Content-Type', 'Authorization', 'Idempotency-Key', 'X-Request-Id', 'X-Service-Terminal-Id'],
  ...['Mcp-Session-Id', 'Mcp-Protocol-Version', 'Last-Event-Id'],
].join(', ');

function hasBody(headers: IncomingHttpHeaders): boolean {
  if (headers['transfer-encoding'] !== undefined) return true;
  return headers['content-length'] !== undefined && headers['content-length'] !== '0';
}

/** Why a request is turned away, here and below; undefined lets it pass. */
export function refuseHost(host: string | undefined, exposed: boolean): DomainError | undefined {
  // Also in HTTP/1.0, which can do without: whom such a request is meant for cannot be known.
  if (host === undefined) return new DomainError('host-not-one');
  if (isLoopbackHost(host) || (exposed && isOwnHost(host))) return undefined;
  const names = exposed ? 'an address or name of this machine' : 'a loopback name or address';
  return new DomainError('host-not-allowed', `Host is not ${names}`);
}

/** Who is still connected from the time when the service was exposed asks for nothing more. */
function refuseAddress(address: string | undefined, exposed: boolean): DomainError | undefined {
  if (exposed || address === undefined || isLoopbackAddress(address)) return undefined;
  return new DomainError('not-exposed');
}

/** Exposed, the token decides, and other machines' users cannot be told apart either. */
function refusesOtherUsers({ exposed, localUsers }: Pick<GuardPolicy, 'exposed' | 'localUsers'>): boolean {
  return !exposed && localUsers === 'own';
}

function refuseUser(isOtherUser: boolean, policy: GuardPolicy): DomainError | undefined {
  return isOtherUser && refusesOtherUsers(policy) ? new DomainError('other-user') : undefined;
}

/** False for a connection on which every request is refused, whatever it asks for. */
export function isServed(
  socket: Socket,
  policy: Pick<GuardPolicy, 'exposed' | 'localUsers'>,
  users: LocalUsers,
): boolean {
  if (refuseAddress(socket.remoteAddress, policy.exposed)) return false;
  return !(refusesOtherUsers(policy) && users.isOther(socket));
}

/** Whoever wants to know which service this is may ask, with neither token nor name. */
export function asksWhoAnswers(url: string): boolean {
  return HEALTH_PATHS.has(url.split('?', 1)[0] ?? '');
}

function isWebSocket({ upgrade }: IncomingHttpHeaders): boolean {
  return upgrade?.toLowerCase() === 'websocket';
}

/** REST shows the token as a bearer, an upgrade in its query: browsers can send no header with one. */
function refuseToken({ url, headers }: Caller, policy: GuardPolicy): DomainError | undefined {
  if (!policy.exposed || asksWhoAnswers(url)) return undefined;
  const token = isWebSocket(headers) ? queryTokenOf(url) : bearerOf(headers);
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

/** Bodies must be JSON and say so: a page of another origin then needs a preflight, which it does not get. */
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

/** Read as UTF-8, a body of another charset or a compressed one would be something else. */
function refuseCoding(parameters: readonly string[], encoding: string | undefined): DomainError | undefined {
  const charset = parameters.find((each) => /^charset\s*=/.test(each));
  if (charset !== undefined && !/^charset\s*=\s*"?utf-?8"?$/.test(charset))
    return new DomainError('unsupported-charset');
  if (encoding === undefined || encoding.trim().toLowerCase() === 'identity') return undefined;
  return new DomainError('unsupported-encoding');
}

/**
 * The whole decision. Where it comes from is asked before the token: a page of another origin is turned away
 * whatever it shows.
 */
export function refuse(caller: Caller, policy: GuardPolicy): DomainError | undefined {
  const { method, headers } = caller;
  return (
    refuseAddress(caller.address, policy.exposed) ??
    refuseUser(caller.isOtherUser ?? false, policy) ??
    refuseHost(caller.isHostRepeated ? undefined : headers.host, policy.exposed) ??
    refuseOrigin(headers.origin, policy) ??
    (isPreflight(method, headers) ? undefined : refuseToken(caller, policy)) ??
    refuseContentType(method, headers)
  );
}

/** What a browser asks before a page may send; it never carries the token, and its answer tells nothing. */
function isPreflight(method: string, headers: IncomingHttpHeaders): boolean {
  return (
    method === 'OPTIONS' &&
    headers.origin !== undefined &&
    headers['access-control-request-method'] !== undefined
  );
}

/**
 * What the browser must hear to let a page of an allowed origin read our answers; `preflight` adds what it
 * asks before it sends JSON.
 */
export function corsHeaders(origin: string, preflight: boolean): Record<string, string> {
  const always = {
    'access-control-allow-origin': origin,
    'access-control-expose-headers': 'x-request-id, idempotent-replayed, mcp-session-id, retry-after, etag',
    vary: 'Origin',
  };
  if (!preflight) return always;
  return {
    ...always,
    'access-control-allow-methods': 'GET, POST, PUT, PATCH, DELETE',
    'access-control-allow-headers': ALLOWED_HEADERS,
    'access-control-allow-private-network': 'true',
    'access-control-max-age': '600',
  };
}

/** RFC 6750: an error is named only to who has shown a token. */
function challengeOf({ authorization }: IncomingHttpHeaders): string {
  const challenge = `Bearer realm="${APP_NAME}"`;
  return authorization === undefined ? challenge : `${challenge}, error="invalid_token"`;
}

/** How often a header was sent; Node keeps the first one of some, and says nothing. */
function countOf(name: string, rawHeaders: readonly string[]): number {
  return rawHeaders.filter((each, index) => index % 2 === 0 && each.toLowerCase() === name).length;
}

/**
 * The `onRequest` hook for everything the service listens to, unknown routes and upgrades included. The policy is
 * asked at each request: a changed setting holds from the next one on.
 */
export function createGuard(server: Server, policy: () => GuardPolicy, users: LocalUsers) {
  users.follow(server, () => refusesOtherUsers(policy()));
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply | undefined> => {
    const { method, headers, url } = request;
    const { socket } = request;
    const current = policy();
    const isOtherUser = refusesOtherUsers(current) && users.isOther(socket);
    const isHostRepeated = countOf('host', request.raw.rawHeaders) > 1;
    const caller = { method, url, headers, address: socket.remoteAddress, isOtherUser, isHostRepeated };
    const refusal = refuse(caller, current);
    if (refusal !== undefined) {
      closeAfterUpgrade(request, reply);
      // Every request of that connection is refused.
      if (isOtherUser) reply.header('connection', 'close');
      if (refusal.status === 401) reply.header('www-authenticate', challengeOf(headers));
      return reply.code(refusal.status).send(bodyOf(refusal));
    }
    if (headers.origin === undefined) return undefined;
    const preflight = isPreflight(method, headers);
    reply.headers(corsHeaders(headers.origin, preflight));
    return preflight ? reply.code(204).send() : undefined;
  };
}
