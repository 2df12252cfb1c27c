import type { FastifyReply, FastifyRequest } from 'fastify';
import { isLoopbackHost } from '../loopback.js';
import { INDEX, type PageFile, type Pages } from './pages.js';

/** Paths of the API, where an unknown path is a 404 and no page. */
const RESERVED = /^\/(?:api|health|metrics|docs|openapi|mcp)/;

/** Vite puts a hash of its content into the name of each file in this folder. */
const HASHED = /^\/assets\/[^/]+-[\w-]{8,}(?:\.\w+)+$/;

const ONE_YEAR_S = 31_536_000;

/** Sources that every page may load: only its own origin. xterm.js writes inline styles. */
const SOURCES = [
  "default-src 'none'",
  "style-src 'self' 'unsafe-inline'",
  "connect-src 'self'",
  "img-src 'self' data: blob:",
  "font-src 'self'",
  "manifest-src 'self'",
  "worker-src 'self'",
  "frame-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
];

const POLICY = [
  ...SOURCES,
  "script-src 'self'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ');

/** The player of recordings compiles WebAssembly and writes HTML, so it is a document of its own, in a frame of ours. */
const PLAYER = '/player.html';
const PLAYER_POLICY = [...SOURCES, "script-src 'self' 'wasm-unsafe-eval'", "frame-ancestors 'self'"].join(
  '; ',
);

/** Returns whether a request that no route takes may be for a page, which needs neither token nor session. */
export function asksForPage({ method, url }: Pick<FastifyRequest, 'method' | 'url'>): boolean {
  return (method === 'GET' || method === 'HEAD') && !RESERVED.test(url);
}

/** Answers a request that no route takes with a file of the dashboard; undefined if there is none for it. */
export function answerPage(
  pages: Pages,
  request: Pick<FastifyRequest, 'method' | 'url' | 'headers'>,
  reply: FastifyReply,
): FastifyReply | undefined {
  if (!asksForPage(request)) return undefined;
  const { headers } = request;
  const [path = ''] = request.url.split('?', 1);
  const name = pages.has(path) ? path : isOfRouter(path, headers.accept) ? INDEX : undefined;
  const file = name === undefined ? undefined : pages.get(name);
  if (name === undefined || file === undefined) return undefined;
  const isDocument = file.type.startsWith('text/html');
  reply.headers({
    'content-security-policy': name === PLAYER ? PLAYER_POLICY : POLICY,
    'cache-control': isDocument ? 'no-store' : cachingOf(name),
    // Browsers log an error for this header at any address that they do not trust without TLS.
    ...(isDocument && isLoopbackHost(headers.host) && { 'cross-origin-opener-policy': 'same-origin' }),
  });
  return sendFile(file, headers, reply);
}

/** The page's own router knows the paths without a file extension. */
function isOfRouter(path: string, accept: string | undefined): boolean {
  const name = path.slice(path.lastIndexOf('/') + 1);
  return path === '/' || (!name.includes('.') && (accept?.includes('text/html') ?? false));
}

function cachingOf(name: string): string {
  return HASHED.test(name) ? `public, max-age=${ONE_YEAR_S}, immutable` : 'no-cache';
}

function sendFile(
  { bytes, type, etag, packed }: PageFile,
  headers: FastifyRequest['headers'],
  reply: FastifyReply,
): FastifyReply {
  const coding = codingOf(packed, String(headers['accept-encoding'] ?? ''));
  const tag = `"${etag}${coding ? `-${coding}` : ''}"`;
  reply.headers({ etag: tag, vary: 'Accept-Encoding' });
  const known = headers['if-none-match']?.split(',').map((each) => each.trim().replace(/^W\//, ''));
  if (known?.includes(tag)) return reply.code(304).send();
  if (coding) reply.header('content-encoding', coding);
  return reply.type(type).send((coding && packed[coding]) ?? bytes);
}

/** Returns the best compressed form that exists and that the client takes. */
function codingOf(packed: PageFile['packed'], accepted: string): keyof PageFile['packed'] | undefined {
  const taken = accepted
    .split(',')
    .map((each) =>
      each
        .trim()
        .toLowerCase()
        .split(/\s*;\s*q\s*=\s*/),
    )
    .filter(([, weight]) => weight === undefined || Number(weight) > 0)
    .map(([name]) => name);
  return (['br', 'gzip'] as const).find((coding) => packed[coding] && taken.includes(coding));
}
