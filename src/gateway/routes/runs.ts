import { z } from 'zod';
import { DEFAULT_RUNS, MAX_RUNS } from '../../contract/limits.js';
import { Run, type RunHead, RunList } from '../../contract/run.js';
import { failures } from '../failures.js';
import type { App } from '../validation.js';
import { countBetween } from './params.js';

/** The runs that have begun, as the gateway reads and cancels them. */
export interface KnownRunsPort {
  /** Returns the newest runs first. */
  list(limit: number): RunHead[];
  /** Throws run-not-found. */
  get(runId: string): Promise<Run>;
  /** Throws run-not-found. */
  cancel(runId: string): Promise<Run>;
}

const ListQuery = z.object({
  limit: countBetween(1, MAX_RUNS).default(DEFAULT_RUNS).describe(`${DEFAULT_RUNS} when absent`),
});

const RunParams = z.object({ runId: z.string() });

/** `/api/runs`: commands that were run in terminals and waited for. */
export function registerRuns(app: App, runs: KnownRunsPort): void {
  const tags = ['Commands'];
  const answers = { 200: Run, ...failures('run-not-found') };

  app.get(
    '/api/runs',
    {
      schema: {
        summary: 'The runs',
        description:
          'Those of `batch/run` and `fleet/execute`, for 24 h, across restarts: the newest 1,000, with at most 256 ' +
          'MiB of output.',
        tags,
        querystring: ListQuery,
        response: { 200: RunList },
      },
    },
    async ({ query }) => ({ runs: runs.list(query.limit) }),
  );

  app.get(
    '/api/runs/:runId',
    {
      schema: {
        summary: 'How a run stands',
        description:
          'As `batch/run` answers; `done` is false for the terminals where it is under way, and `error` says where it ' +
          'has not been typed.',
        tags,
        params: RunParams,
        response: answers,
      },
    },
    ({ params }) => runs.get(params.runId),
  );

  app.post(
    '/api/runs/:runId/cancel',
    {
      schema: {
        summary: 'Cancel a run',
        description:
          'Types its command nowhere any more, and Ctrl+C where a shell runs it; what a program got as its input is ' +
          'left alone. Answers as `GET /api/runs/{runId}`, once all have ended or after 2 s. A run that is over stays ' +
          'as it is.',
        tags,
        params: RunParams,
        response: answers,
      },
    },
    ({ params }) => runs.cancel(params.runId),
  );
}
