import pLimit from 'p-limit';
import { BatchCreateAnswer, BatchCreateBody } from '../../contract/batch-create.js';
import { CREATES_IN_PROGRESS } from '../../contract/limits.js';
import { needs } from '../access/needs.js';
import type { Creator } from '../creator.js';
import { logFault, toWireError } from '../errors.js';
import { failures } from '../failures.js';
import { IdempotencyHeaders, type IdempotencyKeys, isOpen } from '../idempotency.js';
import type { TerminalsPort } from '../ports.js';
import type { App } from '../validation.js';

type Result = BatchCreateAnswer['results'][number];

/** `terminalIds`: the ids of all terminals to create. `created`: the ids that an earlier attempt has created. */
type NewTerminals = { terminalIds: string[]; created?: string[] | undefined };

/** `POST /api/terminals/batch/create`: creates many terminals; a failed creation is reported and delays no other. */
export function registerBatchCreate(
  app: App,
  terminals: Pick<TerminalsPort, 'newId' | 'get'>,
  keys: IdempotencyKeys,
  creator: Creator,
): void {
  app.post(
    '/api/terminals/batch/create',
    {
      config: needs('control', 'filtered'),
      schema: {
        summary: 'Create many terminals',
        description:
          'Does the same as `POST /api/terminals` for each element of `terminals`. A terminal that cannot be ' +
          'created is reported, and the others are created. At one of the `limits` of the settings, terminals with ' +
          '`queueMs` wait in line, in their order, and the answer with them.',
        tags: ['Terminals'],
        headers: IdempotencyHeaders,
        body: BatchCreateBody,
        response: { 200: BatchCreateAnswer, ...failures('key-reused') },
      },
    },
    (request, reply) =>
      creator.hold(request, reply, async (create) => {
        const bodies = request.body.terminals;
        const newPlan = (): NewTerminals => ({ terminalIds: bodies.map(() => terminals.newId()) });
        const begun = await keys.begin(request, newPlan);
        const limit = pLimit(CREATES_IN_PROGRESS);
        let areOpen = false;
        const work = begun.plan.terminalIds.map(async (id, place): Promise<Result> => {
          try {
            if (begun.plan.created?.includes(id)) return { success: true, terminal: terminals.get(id) };
            // The plan has an id for each body, also in a retry, whose body is the same.
            return { success: true, terminal: await create(bodies[place]!, id, (start) => limit(start)) };
          } catch (fault) {
            areOpen ||= isOpen(fault);
            logFault(request.log, fault, { terminalId: id });
            return { success: false, ...toWireError(fault).body };
          }
        });
        const results = await Promise.all(work);
        const { terminalIds, created = [] } = begun.plan;
        // A terminal that was created may be gone by the time of a retry, which must not create it again.
        if (areOpen)
          begun.leaveOpen({ created: [...created, ...terminalIds.filter((_, at) => results[at]?.success)] });
        const succeeded = results.filter(({ success }) => success).length;
        const total = results.length;
        return { results, summary: { total, succeeded, failed: total - succeeded } };
      }),
  );
}
