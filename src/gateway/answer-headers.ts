import type { FastifyReply, FastifyRequest } from 'fastify';

/** Headers of every answer: browsers must not guess another content type, nor reveal to a linked page where the link was. */
export const SECURITY_HEADERS = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
} as const;

/** Documentation pages and the OpenAPI document, which browsers may cache because nothing in them is secret. */
const CACHEABLE = /^\/(?:docs|openapi\.json)(?:[/?]|$)/;

/** Sets the headers of an answer. Most answers contain output, input or tokens, so no cache may store them. */
export function setAnswerHeaders({ url }: Pick<FastifyRequest, 'url'>, reply: FastifyReply): void {
  reply.headers(SECURITY_HEADERS);
  if (!CACHEABLE.test(url)) reply.header('cache-control', 'no-store');
}
