import { BatchRunAnswer, BatchRunBody } from '../../contract/run.js';
import type { InputOrigin } from '../../contract/terminal.js';
import { failures } from '../failures.js';
import { IdempotencyHeaders, type IdempotencyKeys } from '../idempotency.js';
import type { LongPolls } from '../long-polls.js';
import { originOf } from '../origin.js';
import type { TerminalsPort } from '../ports.js';
import { targetIds } from '../targets.js';
import type { App } from '../validation.js';

/** The runs, as the gateway starts them. */
export interface RunsPort {
  /**
   * Runs a command in each of the terminals and waits for it. A terminal that fails is a result, not a rejection.
   * Rejects with the signal's reason, or with `unavailable`. Joins the run of this id if there is one already.
   */
  batch(
    body: BatchRunBody,
    plan: { runId: string; terminalIds: string[] },
    origin: InputOrigin,
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
): void {
  app.post(
    '/api/terminals/batch/run',
    {
      schema: {
        summary: 'Run a command in many terminals and wait for it',
        description:
          'Types the command and Enter into each, and answers once as many as `waitFor` says have ended, or at ' +
          '`timeoutMs`; those that have not go on in their terminals, with `done: false`. The run goes on when the client ' +
          'leaves, and with the next service: `GET /api/runs/{runId}` answers how it stands. `waitedBy` says how the end ' +
          'was told: by the shell where it is integrated, by a line typed along with the command in other POSIX ' +
          'shells, and otherwise by quiet, when there is no exit code. What a shell runs or was given before is ' +
          'waited for; only a program that shows a prompt of its own for a second gets the command as its input. A ' +
          'shell that waits for the rest of a command is sent Ctrl+C. One terminal that fails is reported and holds ' +
          'up no other; a `selector` that matches none gives no results.',
        tags: ['Commands'],
        headers: IdempotencyHeaders,
        body: BatchRunBody,
        response: { 200: BatchRunAnswer, ...failures('key-reused', 'unavailable') },
      },
    },
    (request, reply) =>
      polls.hold(request, reply, async (signal) => {
        const { body } = request;
        const newPlan = () => ({ runId: runs.newId(), terminalIds: targetIds(body, terminals) });
        const { plan } = await keys.begin(request, newPlan);
        return runs.batch(body, plan, originOf(request), signal);
      }),
  );
}
