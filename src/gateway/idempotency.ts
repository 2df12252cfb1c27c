import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import {
  IDEMPOTENT_ANSWER_MS,
  MAX_IDEMPOTENCY_KEY_CHARS,
  MAX_IDEMPOTENT_ANSWERS,
  MAX_IDEMPOTENT_BYTES,
} from '../contract/limits.js';
import { type KeptAnswer, KeptAnswers } from './kept-answers.js';
import type { App } from './validation.js';

const KEY = 'idempotency-key';

/**
 * Headers of a route that may be asked again without doing its work again. Declaring them is all that it needs:
 * {@link useIdempotencyKeys} sees to the rest.
 */
export const IdempotencyHeaders = z.looseObject({
  [KEY]: z
    .string()
    .min(1)
    .max(MAX_IDEMPOTENCY_KEY_CHARS)
    .optional()
    .describe(
      'Makes a retry safe: a request with the key, path and body of an earlier one gets the answer to that one, with the header `idempotent-replayed: true`, and types nothing. Kept for an hour; a failure is not kept',
    ),
});

function keyOf(request: FastifyRequest): string | undefined {
  if (request.routeOptions.schema?.headers !== IdempotencyHeaders) return undefined;
  const key = request.headers[KEY];
  return typeof key === 'string' ? key : undefined;
}

/** Whether the answer is kept for a retry, also when the client has gone. */
export function isKept(request: FastifyRequest): boolean {
  return keyOf(request) !== undefined;
}

/**
 * Has every route from now on that declares {@link IdempotencyHeaders} go by them. Gives what tells how many answers
 * were given again since.
 */
export function useIdempotencyKeys(app: App): () => number {
  let replays = 0;
  const answers = new KeptAnswers({
    maxAnswers: MAX_IDEMPOTENT_ANSWERS,
    maxBytes: MAX_IDEMPOTENT_BYTES,
    maxMs: IDEMPOTENT_ANSWER_MS,
    now: () => performance.now(),
  });
  const firsts = new WeakMap<FastifyRequest, (answer: KeptAnswer) => void>();

  app.addHook('preHandler', async (request, reply) => {
    const key = keyOf(request);
    if (key === undefined) return;
    const [path] = request.url.split('?', 1);
    const scope = `${request.method} ${path}\n${key}`;
    const earlier = answers.enter(scope, request.body);
    if (typeof earlier === 'function') {
      firsts.set(request, earlier);
      return;
    }
    const { status, type, body } = await earlier;
    replays++;
    reply.code(status).type(type).header('idempotent-replayed', 'true').send(body);
    return reply;
  });

  // Called for every answer, also where nobody is there any more to get it.
  app.addHook('onSend', async (request, reply, payload) => {
    const tell = firsts.get(request);
    if (!tell) return;
    firsts.delete(request);
    const type = String(reply.getHeader('content-type'));
    tell({ status: reply.statusCode, type, body: Buffer.from(payload as string) });
  });
  return () => replays;
}
