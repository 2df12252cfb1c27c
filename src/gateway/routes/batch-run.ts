import { BatchRunAnswer, BatchRunBody } from '../../contract/run.js';
import type { InputOrigin } from '../../contract/terminal.js';
import { failures } from '../failures.js';
import { IdempotencyHeaders } from '../idempotency.js';
import type { LongPolls } from '../long-polls.js';
import { originOf } from '../origin.js';
import type { TerminalsPort } from '../ports.js';
import { targetIds } from '../targets.js';
import type { App } from '../validation.js';

/** What the gateway asks of commands that are run. */
export interface RunsPort {
  /**
   * Runs a command in each of the terminals and waits for it. A terminal that fails is a result; rejects with the
   * signal's reason, and with `unavailable`.
   */
  batch(body: BatchRunBody, ids: string[], origin: InputOrigin, signal: AbortSignal): Promise<BatchRunAnswer>;
}

/** `POST /api/terminals/batch/run`: a command in many terminals at once, and what became of it in each. */
export function registerBatchRun(
  app: App,
  runs: RunsPort,
  terminals: Pick<TerminalsPort, 'select'>,
  polls: LongPolls,
): void {
  app.post(
    '/api/terminals/batch/run',
    {
      schema: {
        summary: 'Run a command in many terminals and wait for it',
        description:
          'Types the command and Enter into each, and answers once as many as `waitFor` says have ended, or at ' +
          '`timeoutMs`; those that have not go on in their terminals, with `done: false`. `waitedBy` says how the end ' +
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
    (request, reply) => {
      const ids = targetIds(request.body, terminals);
      return polls.hold(request, reply, (signal) => runs.batch(request.body, ids, originOf(request), signal));
    },
  );
}
