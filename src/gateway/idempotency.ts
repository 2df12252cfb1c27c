import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { Plan } from '../actors/operations/kept-operation.js';
import type { Operation } from '../actors/operations/operation.js';
import type { Operations } from '../actors/operations/operations.js';
import { MAX_IDEMPOTENCY_KEY_CHARS } from '../contract/limits.js';
import type { App } from './validation.js';

const KEY = 'idempotency-key';

/**
 * Headers of a route that may be asked again without doing its work again: before that it calls `begin` of
 * {@link useIdempotencyKeys}.
 */
export const IdempotencyHeaders = z.looseObject({
  [KEY]: z
    .string()
    .min(1)
    .max(MAX_IDEMPOTENCY_KEY_CHARS)
    .optional()
    .describe(
      'Makes a retry safe, also after a restart: a request with the key, path and body of an earlier one types nothing twice and gets the answer to that one, with the header `idempotent-replayed: true`; of a run, its results as they stand then. Kept for 24 h; a failure is not kept, unless it is not known what was done',
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

/** What a request is to be done by. */
interface Begun<Settled> {
  /** Under which it types; undefined for a request without a key. */
  once: string | undefined;
  plan: Settled;
  /** Has the answer not kept: a retry finds out what it cannot tell. */
  leaveOpen(): void;
}

export interface IdempotencyKeys {
  /**
   * To be called before a request types or starts anything: with a key, the plan is on the disk when this resolves, and
   * a request that is done again gets the plan of the first. Rejects with `unavailable`.
   */
  begin<Settled extends Plan>(
    request: FastifyRequest,
    make: () => Settled | Promise<Settled>,
  ): Promise<Begun<Settled>>;
  /** How many requests were repetitions. */
  replays(): number;
}

/** Has every route from now on that declares {@link IdempotencyHeaders} go by them. */
export function useIdempotencyKeys(app: App, operations: Pick<Operations, 'enter'>): IdempotencyKeys {
  let replays = 0;
  const works = new WeakMap<FastifyRequest, Operation>();

  app.addHook('preHandler', async (request, reply) => {
    const key = keyOf(request);
    if (key === undefined) return;
    const [path] = request.url.split('?', 1);
    const entered = operations.enter(`${request.method} ${path}\n${key}`, request.body);
    const isRepeated = 'answer' in entered || entered.operation.earlier !== undefined;
    if (isRepeated) {
      replays++;
      reply.header('idempotent-replayed', 'true');
    }
    if ('operation' in entered) {
      works.set(request, entered.operation);
      return;
    }
    const { status, type, body } = await entered.answer;
    reply.code(status).type(type).send(body);
    return reply;
  });

  // Called for every answer, also where nobody is there any more to get it.
  app.addHook('onSend', async (request, reply, payload) => {
    const operation = works.get(request);
    if (!operation) return;
    works.delete(request);
    const type = String(reply.getHeader('content-type'));
    operation.end({ status: reply.statusCode, type, body: String(payload) });
  });

  return {
    begin: async (request, make) => {
      const operation = works.get(request);
      if (!operation) return { once: undefined, plan: await make(), leaveOpen: () => {} };
      const plan = (await operation.begin(make)) as Awaited<ReturnType<typeof make>>;
      return { once: operation.id, plan, leaveOpen: () => operation.leaveOpen() };
    },
    replays: () => replays,
  };
}
