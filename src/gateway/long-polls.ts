import type { FastifyReply, FastifyRequest } from 'fastify';
import { DomainError } from '../contract/errors.js';
import { isKept } from './idempotency.js';
import type { App } from './validation.js';

/** Requests whose answers may take long; their work ends when their client has gone. */
export class LongPolls {
  readonly #held = new Set<AbortController>();
  #isClosing = false;

  constructor(app: App) {
    // Ends waits before the server waits for its connections: a wait of an hour must not delay the stop.
    app.addHook('preClose', async () => {
      this.#isClosing = true;
      for (const controller of this.#held) controller.abort(new DomainError('shutting-down'));
    });
  }

  /**
   * Runs `work` with a signal that aborts with `client-gone` once the client's connection closes, and with
   * `shutting-down` when the service stops. A client whose answer is kept may come back for it, so its disconnect ends
   * nothing, unless `everybodyLeft` says that nobody waits for that answer.
   */
  async hold<Answer>(
    request: FastifyRequest,
    reply: FastifyReply,
    work: (signal: AbortSignal) => Promise<Answer>,
    { everybodyLeft }: { everybodyLeft?: AbortSignal | undefined } = {},
  ): Promise<Answer> {
    if (this.#isClosing) throw new DomainError('shutting-down');
    const controller = new AbortController();
    const left = () => controller.abort(new DomainError('client-gone'));
    const mayLeave = isKept(request);
    if (!mayLeave && reply.raw.destroyed) left();
    if (!mayLeave) reply.raw.once('close', left);
    if (everybodyLeft?.aborted) left();
    everybodyLeft?.addEventListener('abort', left, { once: true });
    this.#held.add(controller);
    try {
      return await work(controller.signal);
    } finally {
      this.#held.delete(controller);
      reply.raw.off('close', left);
      everybodyLeft?.removeEventListener('abort', left);
    }
  }
}
