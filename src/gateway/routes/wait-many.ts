import type { Selector } from '../../contract/labels.js';
import { WaitManyAnswer, WaitManyBody } from '../../contract/wait-many.js';
import type { Everywhere } from '../../fleet/everywhere.js';
import { needs } from '../access/needs.js';
import { failures } from '../failures.js';
import type { LongPolls } from '../long-polls.js';
import { targetIds } from '../targets.js';
import type { App } from '../validation.js';

/** The waits over many terminals, as the gateway starts them. */
export interface ManyWaitsPort {
  /** Returns the ids of the terminals with these labels, including exited ones that are kept. */
  select(selector: Selector): string[];

  /** Resolves once enough has happened, or when the time is up. Rejects with the signal's reason, or `unavailable`. */
  wait(body: WaitManyBody, ids: readonly string[], signal: AbortSignal): Promise<WaitManyAnswer>;
}

const DESCRIPTION = `A long poll over many terminals, and the inbox of an orchestrator: it answers which agents wait for an
answer and what they ask, which commands have failed, and which programs have ended. What holds already when the request
comes counts, too. Each result has an \`id\`; a client that passes it in \`seen\` is not told of this occurrence again, but
of the next one. An agent that asks the same after it was answered is another occurrence.

The answer comes once something has happened in as many terminals as \`mode\` says, when it no longer can, or at
\`timeoutMs\`; a \`timeoutMs\` of 0 answers at once. It has everything that has happened by then, which may be more than
\`mode\` asks for. A \`selector\` means the terminals that have these labels when the request comes, including exited ones
that are kept. \`failed\` and \`finished\` follow the commands of shells that report them; see \`integration\`.`;

/** `POST /api/terminals/wait`: waits until something has happened in enough of many terminals. */
export function registerWaitMany(
  app: App,
  waits: ManyWaitsPort,
  polls: LongPolls,
  everywhere: Pick<Everywhere, 'wait'>,
): void {
  app.post(
    '/api/terminals/wait',
    {
      config: needs('read', 'filtered'),
      schema: {
        summary: 'Wait until terminals need somebody',
        description: DESCRIPTION,
        tags: ['Commands'],
        body: WaitManyBody,
        response: { 200: WaitManyAnswer, ...failures('unavailable') },
      },
    },
    (request, reply) =>
      polls.hold(request, reply, (signal) => {
        const { body } = request;
        const ids = targetIds(body, waits, request.rights);
        if (body.machines === undefined) return waits.wait(body, ids, signal);
        request.rights.require('admin');
        return everywhere.wait(body, ids, (...part) => waits.wait(...part), signal);
      }),
  );
}
