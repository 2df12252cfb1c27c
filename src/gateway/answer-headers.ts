import type { FastifyReply, FastifyRequest } from 'fastify';

/** Of every answer: it is what its content type says, and a page that links elsewhere does not tell where it was. */
export const SECURITY_HEADERS = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
} as const;

/** Pages for people, and the document: nothing in them is secret, and browsers may keep them. */
const CACHEABLE = /^\/(?:docs|openapi\.json)(?:[/?]|$)/;

/** Headers of every answer. Output, input and tokens are in most of them, so no cache is to keep any. */
export function setAnswerHeaders({ url }: Pick<FastifyRequest, 'url'>, reply: FastifyReply): void {
  reply.headers(SECURITY_HEADERS);
  if (!CACHEABLE.test(url)) reply.header('cache-control', 'no-store');
}
