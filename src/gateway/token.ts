import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

/** Returns the token of `Authorization: Bearer <token>`. */
export function bearerOf(headers: IncomingHttpHeaders): string | undefined {
  return /^Bearer +([^\s]+) *$/i.exec(headers.authorization ?? '')?.[1];
}

/** Returns the token of `?token=`. */
export function queryTokenOf(url: string): string | undefined {
  const start = url.indexOf('?');
  return start === -1 ? undefined : (new URLSearchParams(url.slice(start + 1)).get('token') ?? undefined);
}

/** Returns whether the request asks for a WebSocket. */
export function isUpgrade({ upgrade }: IncomingHttpHeaders): boolean {
  return upgrade?.toLowerCase() === 'websocket';
}

/**
 * Returns the token that a request shows: as a bearer or, where it asks for a WebSocket, in its query, since browsers
 * cannot set headers there.
 */
export function shownTokenOf(url: string, headers: IncomingHttpHeaders): string | undefined {
  return (isUpgrade(headers) ? queryTokenOf(url) : undefined) ?? bearerOf(headers);
}

/** Constant-time token comparison. */
export function isToken(given: string | undefined, right: string): boolean {
  return timingSafeEqual(digest(given ?? ''), digest(right)) && given !== undefined;
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
