import type { IncomingHttpHeaders } from 'node:http';

/** Headers that a page may send: `Mcp-*` for MCP, `Last-Event-Id` for MCP and the stream of events. */
const ALLOWED_HEADERS = [
  ...['Content-Type', 'Authorization', 'Idempotency-Key', 'X-Request-Id', 'X-Service-Terminal-Id'],
  ...['Mcp-Session-Id', 'Mcp-Protocol-Version', 'Last-Event-Id'],
].join(', ');

/**
 * Returns whether this is a browser's preflight. A preflight never carries the token, and its answer reveals nothing.
 */
export function isPreflight(method: string, headers: IncomingHttpHeaders): boolean {
  return (
    method === 'OPTIONS' &&
    headers.origin !== undefined &&
    headers['access-control-request-method'] !== undefined
  );
}

/**
 * Returns the headers that let a page of an allowed origin read our answers; `preflight` adds what a browser checks
 * before it sends JSON.
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
