import { isUtf8 } from 'node:buffer';
import type { FastifyInstance } from 'fastify';
import { DomainError } from '../contract/errors.js';

/**
 * Accepts JSON bodies only, in valid UTF-8. Like Fastify's own parser it refuses prototype poisoning, but an empty body
 * counts as absent: clients send the content type along with a DELETE or a POST that needs no body.
 */
export function useJsonBodies(
  app: Pick<FastifyInstance, 'addContentTypeParser' | 'removeAllContentTypeParsers' | 'getDefaultJsonParser'>,
): void {
  const parse = app.getDefaultJsonParser('error', 'error');
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body: Buffer, done) => {
    if (!isUtf8(body)) return done(new DomainError('invalid-utf8'));
    const text = body.toString();
    if (text.trim() === '') return done(null, undefined);
    return parse(request, text, done);
  });
}
