import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Config } from '../../config/settings.js';
import { BatchAnswer, BatchExecuteBody, BatchInputBody, type BatchResult } from '../../contract/execute.js';
import type { GateWish } from '../../contract/input-gate.js';
import type { Targets } from '../../contract/targets.js';
import type { InputPart } from '../../contract/terminal.js';
import { needs } from '../access/needs.js';
import { logFault, toWireError } from '../errors.js';
import { failures } from '../failures.js';
import { IdempotencyHeaders, type IdempotencyKeys, isOpen } from '../idempotency.js';
import { keystrokesOf } from '../keystrokes.js';
import type { LongPolls } from '../long-polls.js';
import { originOf } from '../origin.js';
import type { TerminalsPort } from '../ports.js';
import { targetIds } from '../targets.js';
import type { App } from '../validation.js';
import type { Writers } from '../writers.js';

const BATCH =
  'A failure in one terminal is reported and does not delay the others. A `selector` that matches no ' +
  'terminal gives no results.';

export interface BatchOptions {
  terminals: Pick<TerminalsPort, 'select' | 'typeAll'>;
  cliTypes: () => Config['cliTypes'];
  keys: IdempotencyKeys;
  writers: Writers;
  polls: LongPolls;
}

/** Routes that do the same to many terminals at once; a terminal that fails is reported and delays no other. */
export function registerBatch(app: App, { terminals, cliTypes, keys, writers, polls }: BatchOptions): void {
  function resultOf(terminalId: string, fault: unknown, request: FastifyRequest): BatchResult {
    if (fault === undefined) return { terminalId, success: true };
    logFault(request.log, fault, { terminalId });
    return { terminalId, success: false, ...toWireError(fault).body };
  }

  async function typeIntoAll(
    body: Targets & GateWish,
    parts: InputPart[],
    [request, reply]: [FastifyRequest, FastifyReply],
  ): Promise<BatchAnswer> {
    return writers.through({ polls, keys }, [request, reply], body, async (ask) => {
      const begun = await keys.begin(request, () => ({
        terminalIds: targetIds(body, terminals, request.rights),
      }));
      const { terminalIds: ids } = begun.plan;
      const faults = await terminals.typeAll(ids, parts, originOf(request), { once: begun.once, ask });
      if (faults.some((fault) => fault !== undefined && isOpen(fault))) begun.leaveOpen();
      const results = ids.map((id, index) => resultOf(id, faults[index], request));
      const succeeded = results.filter((result) => result.success).length;
      return { results, summary: { total: ids.length, succeeded, failed: ids.length - succeeded } };
    });
  }

  app.post(
    '/api/terminals/batch/execute',
    {
      config: needs('type', 'filtered'),
      schema: {
        summary: 'Type a prompt into many terminals and submit it',
        description: `Does the same as \`/execute\` for each terminal. ${BATCH}`,
        tags: ['Execute'],
        headers: IdempotencyHeaders,
        body: BatchExecuteBody,
        response: {
          200: BatchAnswer,
          ...failures('prompt-empty', 'unknown-cli-type', 'custom-pattern-missing', 'key-reused'),
        },
      },
    },
    (request, reply) => {
      const { body } = request;
      return typeIntoAll(body, keystrokesOf(body, cliTypes()), [request, reply]);
    },
  );

  app.post(
    '/api/terminals/batch/input',
    {
      config: needs('type', 'filtered'),
      schema: {
        summary: 'Type into many terminals',
        description: `Does the same as \`/input\` for each terminal. ${BATCH}`,
        tags: ['Input and output'],
        headers: IdempotencyHeaders,
        body: BatchInputBody,
        response: { 200: BatchAnswer, ...failures('key-reused') },
      },
    },
    (request, reply) => {
      const { body } = request;
      return typeIntoAll(body, [{ data: body.data }], [request, reply]);
    },
  );
}
