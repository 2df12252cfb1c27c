import type { FastifyInstance } from 'fastify';

/**
 * Bodies are JSON and nothing else. As Fastify's own parser, prototype poisoning refused, but an empty body
 * counts as absent: clients send the content type along with a DELETE or a POST that needs no body.
 */
export function useJsonBodies(
  app: Pick<FastifyInstance, 'addContentTypeParser' | 'removeAllContentTypeParsers' | 'getDefaultJsonParser'>,
): void {
  const parse = app.getDefaultJsonParser('error', 'error');
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body: string, done) => {
    if (body.trim() === '') done(null, undefined);
    else parse(request, body, done);
  });
}
