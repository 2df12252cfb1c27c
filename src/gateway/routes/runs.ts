import { z } from 'zod';
import { DEFAULT_RUNS, MAX_RUNS, MAX_WAIT_MS } from '../../contract/limits.js';
import { Run, type RunHead, RunList } from '../../contract/run.js';
import { needs, requireRun, seesRun } from '../access/needs.js';
import { failures } from '../failures.js';
import type { LongPolls } from '../long-polls.js';
import type { App } from '../validation.js';
import { countBetween } from './params.js';

/** The runs that have begun, as the gateway reads and cancels them. */
export interface KnownRunsPort {
  /** Returns the runs whose terminals `sees` accepts, newest first. */
  list(limit: number, sees: (terminalIds: readonly string[]) => boolean): RunHead[];
  /** Throws run-not-found. */
  terminalsOf(runId: string): readonly string[];
  /**
   * Resolves once the run is over, or after `timeoutMs`. Rejects with run-not-found, `unavailable`, and the reason of
   * the signal.
   */
  wait(runId: string, timeoutMs: number, signal: AbortSignal): Promise<Run>;
  /** Throws run-not-found. */
  cancel(runId: string): Promise<Run>;
}

const ListQuery = z.object({
  limit: countBetween(1, MAX_RUNS).default(DEFAULT_RUNS).describe(`Defaults to ${DEFAULT_RUNS}`),
});

const RunQuery = z.object({
  timeoutMs: countBetween(0, MAX_WAIT_MS)
    .default(0)
    .describe('Answers once the run is over, or after this time; 0 answers at once'),
});

const RunParams = z.object({ runId: z.string() });

/** `/api/runs`: commands that were run in terminals and waited for. */
export function registerRuns(app: App, runs: KnownRunsPort, polls: LongPolls): void {
  const tags = ['Commands'];
  const answers = { 200: Run, ...failures('run-not-found') };

  app.get(
    '/api/runs',
    {
      config: needs('read', 'filtered'),
      schema: {
        summary: 'List the runs',
        description:
          'The runs of `batch/run` and `fleet/execute` of the last 24 h, kept over restarts: the newest ' +
          '1,000, with at most 256 MiB of output.',
        tags,
        querystring: ListQuery,
        response: { 200: RunList },
      },
    },
    async ({ query, rights }) => ({ runs: runs.list(query.limit, (ids) => seesRun(rights, ids)) }),
  );

  app.get(
    '/api/runs/:runId',
    {
      config: needs('read', 'filtered'),
      schema: {
        summary: 'Get the state of a run, or wait for its end',
        description:
          'Answers as `batch/run` does. `done` is false for terminals in which the command has not ended; ' +
          '`error` says if it has not been typed there yet.',
        tags,
        params: RunParams,
        querystring: RunQuery,
        response: { ...answers, ...failures('unavailable') },
      },
    },
    async (request, reply) => {
      const { params, query, rights } = request;
      requireRun(runs, params.runId, rights);
      return polls.hold(request, reply, (signal) => runs.wait(params.runId, query.timeoutMs, signal));
    },
  );

  app.post(
    '/api/runs/:runId/cancel',
    {
      config: needs('run', 'filtered'),
      schema: {
        summary: 'Cancel a run',
        description:
          'Types the command into no further terminal, and sends Ctrl+C where a shell runs it. Input that ' +
          'a program has received stays. Answers as `GET /api/runs/{runId}` does, once the command has ' +
          'ended in all terminals or after 2 s. A run that is over does not change.',
        tags,
        params: RunParams,
        response: answers,
      },
    },
    async ({ params, rights }) => {
      requireRun(runs, params.runId, rights);
      return runs.cancel(params.runId);
    },
  );
}
