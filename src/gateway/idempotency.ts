import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { Plan } from '../actors/operations/kept-operation.js';
import type { Operation } from '../actors/operations/operation.js';
import type { Entered, Operations } from '../actors/operations/operations.js';
import { DomainError } from '../contract/errors.js';
import { MAX_IDEMPOTENCY_KEY_CHARS } from '../contract/limits.js';
import { Presences } from './presences.js';
import type { App } from './validation.js';

const KEY = 'idempotency-key';

/**
 * Headers of a route that can repeat a request without repeating its work. Such a route calls `begin` of
 * {@link useIdempotencyKeys} before any work.
 */
export const IdempotencyHeaders = z.looseObject({
  [KEY]: z
    .string()
    .min(1)
    .max(MAX_IDEMPOTENCY_KEY_CHARS)
    .optional()
    .describe(
      'Makes a retry safe, even after a restart: a request with the key, path and body of an earlier ' +
        'request types nothing again. It gets the answer to the earlier request, with the header ' +
        '`idempotent-replayed: true`; for a run, its results at that time. An answer is kept for 24 h. A ' +
        'failure is not kept, unless it is unknown what was done',
    ),
});

function keyOf(request: FastifyRequest): string | undefined {
  if (request.routeOptions.schema?.headers !== IdempotencyHeaders) return undefined;
  const key = request.headers[KEY];
  return typeof key === 'string' ? key : undefined;
}

/** Returns whether the answer is kept for a retry, even if the client has disconnected. */
export function isKept(request: FastifyRequest): boolean {
  return keyOf(request) !== undefined;
}

const CLIENT_GONE_STATUS = new DomainError('client-gone').status;

/**
 * Returns whether this failure of a part of a batch leaves the answer open, because a retry may have another outcome:
 * the client has left the line, or the service stops, cannot do it now, or does not know what it did. A program that
 * cannot be started is an outcome, and so is what this machine cannot do at all (501).
 */
export function isOpen(fault: unknown): boolean {
  if (!(fault instanceof DomainError)) return true;
  return fault.status >= CLIENT_GONE_STATUS && fault.status !== 501 && fault.code !== 'spawn-failed';
}

/** How to carry out a request. */
interface Begun<Settled> {
  /** Id of the operation, under which the request types; undefined for a request without a key. */
  once: string | undefined;
  plan: Settled;
  /** Prevents the answer from being kept, because a retry can find out an outcome that the answer leaves unknown. */
  leaveOpen(done?: Partial<Plan>): void;
}

export interface IdempotencyKeys {
  /**
   * Call this before a request types or starts anything. With a key, the plan is on disk when this resolves, and a
   * repeated request gets the plan of the first attempt. Rejects with `unavailable`.
   */
  begin<Settled extends Plan>(
    request: FastifyRequest,
    make: () => Settled | Promise<Settled>,
  ): Promise<Begun<Settled>>;
  /**
   * Returns a signal that aborts once no client waits for the answer to a request with a key or to its repetitions; undefined
   * for a request without a key.
   */
  everybodyLeft(request: FastifyRequest): AbortSignal | undefined;
  /** Returns how many requests were repetitions. */
  replays(): number;
}

/** Handles the keys of every route that is registered from now on and declares {@link IdempotencyHeaders}. */
export function useIdempotencyKeys(
  app: App,
  operations: Pick<Operations, 'enter' | 'terminalsOfRun'>,
): IdempotencyKeys {
  let replays = 0;
  const works = new WeakMap<FastifyRequest, { operation: Operation; scope: string }>();
  const presences = new Presences();
  const everybodyLeft = new WeakMap<FastifyRequest, AbortSignal>();
  /** The signals of the works in progress, by scope. */
  const inWork = new Map<string, AbortSignal>();

  /**
   * Takes in a request. Work that all clients have left may be given up: a request that comes then waits for its end,
   * and begins anew.
   */
  async function enter(scope: string, request: FastifyRequest, reply: FastifyReply): Promise<Entered> {
    for (;;) {
      const entered = operations.enter(scope, request.body);
      if ('answer' in entered && inWork.get(scope)?.aborted) {
        await entered.answer;
        continue;
      }
      const signal = presences.enter(scope, reply.raw);
      everybodyLeft.set(request, signal);
      if ('operation' in entered) {
        works.set(request, { operation: entered.operation, scope });
        inWork.set(scope, signal);
      }
      return entered;
    }
  }

  app.addHook('preHandler', async (request, reply) => {
    const key = keyOf(request);
    if (key === undefined) return;
    const [path] = request.url.split('?', 1);
    // A token gets no answer that was meant for another token.
    const { holder } = request.rights;
    const scope = `${request.method} ${path}\n${holder ? `${holder.id}\n` : ''}${key}`;
    // Before the request is taken in: a refusal says nothing about the work, so the key stays as it is. Since the run
    // began, its terminals may have gone out of the client's reach.
    request.rights.requireSightOfOwn(operations.terminalsOfRun(scope));
    const entered = await enter(scope, request, reply);
    const isRepeated = 'answer' in entered || entered.operation.earlier !== undefined;
    if (isRepeated) {
      replays++;
      reply.header('idempotent-replayed', 'true');
    }
    if ('operation' in entered) return;
    const { status, type, body } = await entered.answer;
    reply.code(status).type(type).send(body);
    return reply;
  });

  // Runs for every answer, even if the client has disconnected.
  app.addHook('onSend', async (request, reply, payload) => {
    const work = works.get(request);
    if (!work) return;
    works.delete(request);
    inWork.delete(work.scope);
    const type = String(reply.getHeader('content-type'));
    work.operation.end({ status: reply.statusCode, type, body: String(payload) });
  });

  return {
    begin: async (request, make) => {
      const operation = works.get(request)?.operation;
      if (!operation) return { once: undefined, plan: await make(), leaveOpen: () => {} };
      const plan = (await operation.begin(make)) as Awaited<ReturnType<typeof make>>;
      return { once: operation.id, plan, leaveOpen: (done) => operation.leaveOpen(done) };
    },
    everybodyLeft: (request) => everybodyLeft.get(request),
    replays: () => replays,
  };
}
