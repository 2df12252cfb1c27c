import { z } from 'zod';
import { BatchResult } from '../../src/contract/execute.js';
import { FleetExecution } from '../../src/contract/fleet.js';
import { BatchRunAnswer, RunResult } from '../../src/contract/run.js';

const { machineId, deviceName, screen } = FleetExecution.shape;
const { terminalId, success, error, code, fix, holder, draft, retryAfterMs } = BatchResult.shape;
const waited = RunResult.omit({ terminalId: true, success: true, error: true, code: true }).partial();
const summary = BatchRunAnswer.shape.summary.partial({ done: true, zero: true, nonZero: true });

/** The result of a command in one terminal. */
export const ExecutionResult = z.object({
  terminalId,
  success: success.describe(
    'Whether the command was typed and the shell accepted it; independent of the exit code',
  ),
  ...waited.shape,
  ...{ error, code, fix, holder, draft, retryAfterMs },
  ...z.object({ machineId, deviceName, screen }).partial().shape,
});
export type ExecutionResult = z.output<typeof ExecutionResult>;

/** The answer of `execute_command` in all its forms. */
export const Execution = z.object({
  results: z
    .array(ExecutionResult)
    .describe(
      'One result for each terminal. done, exitCode and raw if the command was waited for; screen if it ' +
        'ran on a machine',
    ),
  summary: summary.optional(),
  runId: z
    .string()
    .optional()
    .describe('Id of the run if the command was waited for, for `GET /api/runs/{runId}`'),
});
export type Execution = z.output<typeof Execution>;
