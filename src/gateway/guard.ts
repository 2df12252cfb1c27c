import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { isLoopbackHost, isLoopbackOrigin } from './loopback.js';

/** Who may ask. */
export interface GuardPolicy {
  /** Pages served from this port of the loopback are the dashboard's. */
  dashboardPort: number;
  /** Further origins, in lower case and without a trailing slash. */
  allowedOrigins: readonly string[];
}

/** Why a request is turned away; undefined lets it pass. */
export interface Refusal {
  status: 403 | 415;
  error: string;
}

/** Content types that any web page may send anywhere without a preflight. */
const SIMPLE_TYPES: ReadonlySet<string> = new Set([
  'text/plain',
  'application/x-www-form-urlencoded',
  'multipart/form-data',
]);

const BODYLESS_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS', 'TRACE']);

const JSON_NEEDED = 'Send the body as JSON, with the header "Content-Type: application/json"';

function hasBody(headers: IncomingHttpHeaders): boolean {
  if (headers['transfer-encoding'] !== undefined) return true;
  return headers['content-length'] !== undefined && headers['content-length'] !== '0';
}

export function refuseHost(host: string | undefined): Refusal | undefined {
  if (isLoopbackHost(host)) return undefined;
  return { status: 403, error: 'Host is not a loopback name or address' };
}

function isAllowedOrigin(origin: string, policy: GuardPolicy): boolean {
  return (
    isLoopbackOrigin(origin, policy.dashboardPort) || policy.allowedOrigins.includes(origin.toLowerCase())
  );
}

export function refuseOrigin(origin: string | undefined, policy: GuardPolicy): Refusal | undefined {
  if (origin === undefined || isAllowedOrigin(origin, policy)) return undefined;
  return { status: 403, error: 'Origin is not allowed; the setting network.allowedOrigins lists others' };
}

/** Bodies must be JSON and say so: a page of another origin then needs a preflight, which it does not get. */
export function refuseContentType(method: string, headers: IncomingHttpHeaders): Refusal | undefined {
  if (BODYLESS_METHODS.has(method)) return undefined;
  const type = headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase();
  if (type === undefined) return hasBody(headers) ? { status: 415, error: JSON_NEEDED } : undefined;
  if (type === 'application/json') return undefined;
  return { status: SIMPLE_TYPES.has(type) ? 403 : 415, error: JSON_NEEDED };
}

/** The whole decision, on headers alone. */
export function refuse(
  method: string,
  headers: IncomingHttpHeaders,
  policy: GuardPolicy,
): Refusal | undefined {
  return (
    refuseHost(headers.host) ?? refuseOrigin(headers.origin, policy) ?? refuseContentType(method, headers)
  );
}

/**
 * What the browser must hear to let a page of an allowed origin read our answers; `preflight` adds what it
 * asks before it sends JSON.
 */
export function corsHeaders(origin: string, preflight: boolean): Record<string, string> {
  const always = {
    'access-control-allow-origin': origin,
    'access-control-expose-headers': 'x-request-id',
    vary: 'Origin',
  };
  if (!preflight) return always;
  return {
    ...always,
    'access-control-allow-methods': 'GET, POST, PUT, PATCH, DELETE',
    'access-control-allow-headers': 'Content-Type, Authorization, X-Request-Id, X-Service-Terminal-Id',
    'access-control-allow-private-network': 'true',
    'access-control-max-age': '600',
  };
}

/** The `onRequest` hook for everything the service listens to, unknown routes and upgrades included. */
export function createGuard(policy: GuardPolicy) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply | undefined> => {
    const { method, headers } = request;
    const refusal = refuse(method, headers, policy);
    if (refusal !== undefined) {
      // After an upgrade request Node parses the connection no further: nobody else would close it.
      if (headers.upgrade !== undefined) reply.raw.once('finish', () => request.raw.socket.destroySoon());
      return reply.code(refusal.status).send({ error: refusal.error });
    }
    if (headers.origin === undefined) return undefined;
    const preflight = method === 'OPTIONS' && headers['access-control-request-method'] !== undefined;
    reply.headers(corsHeaders(headers.origin, preflight));
    return preflight ? reply.code(204).send() : undefined;
  };
}
