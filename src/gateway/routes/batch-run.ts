import type { Principal } from '../../contract/principal.js';
import { BatchRunAnswer, BatchRunBody } from '../../contract/run.js';
import type { InputOrigin } from '../../contract/terminal.js';
import type { Everywhere } from '../../fleet/everywhere.js';
import { needs } from '../access/needs.js';
import { keyIn } from '../elsewhere.js';
import { failures } from '../failures.js';
import { IdempotencyHeaders, type IdempotencyKeys } from '../idempotency.js';
import type { LongPolls } from '../long-polls.js';
import { originOf } from '../origin.js';
import type { TerminalsPort } from '../ports.js';
import { targetIds } from '../targets.js';
import type { App } from '../validation.js';
import type { Writers } from '../writers.js';

/** The runs, as the gateway starts them. */
export interface RunsPort {
  /**
   * Runs a command in each of the terminals and waits for it. A terminal that fails is a result, not a rejection.
   * Rejects with the signal's reason, or with `unavailable`. Joins the run of this id if there is one already.
   */
  batch(
    body: BatchRunBody,
    plan: { runId: string; terminalIds: string[] },
    by: { origin: InputOrigin; who: Principal },
    signal: AbortSignal,
  ): Promise<BatchRunAnswer>;
  newId(): string;
}

/** `POST /api/terminals/batch/run`: runs a command in many terminals at once, with the outcome in each. */
export function registerBatchRun(
  app: App,
  runs: RunsPort,
  terminals: Pick<TerminalsPort, 'select'>,
  polls: LongPolls,
  keys: IdempotencyKeys,
  writers: Writers,
  everywhere: Pick<Everywhere, 'select' | 'run'>,
): void {
  app.post(
    '/api/terminals/batch/run',
    {
      config: needs('run', 'filtered'),
      schema: {
        summary: 'Run a command in many terminals and wait for it',
        description:
          'Types the command and Enter into each terminal: the same everywhere or, with `runs`, a command ' +
          'of its own in each. Answers once as many terminals are done as ' +
          '`waitFor` says, or at `timeoutMs`; commands that have not ended by then continue in their ' +
          'terminals and have `done: false`. The run continues if the client disconnects or the service ' +
          'restarts, unless `whenLeft` says otherwise; `GET /api/runs/{runId}` reports its state. ' +
          '`waitedBy` says how the end was detected: ' +
          'by the marks of an integrated shell; in other POSIX shells, by a line typed along with the ' +
          'command; otherwise by quiet, which gives no exit code. The run waits for whatever the shell ' +
          'runs or was given before. Only a program that has shown a prompt of its own for a second gets ' +
          'the command as its input. If the shell waits for the rest of the command, the run sends ' +
          'Ctrl+C. A failure in one terminal is reported and does not delay the others. A `selector` that ' +
          'matches no terminal gives no results.',
        tags: ['Commands'],
        headers: IdempotencyHeaders,
        body: BatchRunBody,
        response: { 200: BatchRunAnswer, ...failures('key-reused', 'run-not-found', 'unavailable') },
      },
    },
    (request, reply) => {
      const { body } = request;
      const everybodyLeft = body.whenLeft === 'drop' ? keys.everybodyLeft(request) : undefined;
      const run = async (signal: AbortSignal) => {
        const named = body.runs?.map(({ terminalId }) => terminalId);
        if (named) request.rights.requireSight(named);
        if (body.machines) request.rights.require('admin');
        const select = async () => body.machines && everywhere.select(body, signal);
        const newPlan = async () => ({
          elsewhere: await select(),
          runId: runs.newId(),
          terminalIds: named ?? targetIds(body, terminals, request.rights),
        });
        const { plan } = await keys.begin(request, newPlan);
        // The plan of an earlier release does not say.
        const elsewhere = plan.elsewhere ?? (await select());
        const by = { origin: originOf(request), who: writers.who(request) };
        const own = runs.batch(body, plan, by, signal);
        return elsewhere ? everywhere.run(body, elsewhere, own, keyIn(request).key, signal) : own;
      };
      return polls.hold(request, reply, run, { everybodyLeft });
    },
  );
}
