import { z } from 'zod';
import { BatchResult } from '../../src/contract/execute.js';
import { FleetExecution } from '../../src/contract/fleet.js';
import { BatchRunAnswer, RunResult } from '../../src/contract/run.js';

const { machineId, deviceName, screen } = FleetExecution.shape;
const { terminalId, success, error, code, fix } = BatchResult.shape;
const waited = RunResult.omit({ terminalId: true, success: true, error: true, code: true }).partial();
const summary = BatchRunAnswer.shape.summary.partial({ done: true, zero: true, nonZero: true });

/** The result of a command in one terminal. */
export const ExecutionResult = z.object({
  terminalId,
  success: success.describe('It was typed, and its shell took it; says nothing about its exit code'),
  ...{ error, code, fix },
  ...waited.shape,
  ...z.object({ machineId, deviceName, screen }).partial().shape,
});
export type ExecutionResult = z.output<typeof ExecutionResult>;

/** The answer of `execute_command` in all its forms. */
export const Execution = z.object({
  results: z
    .array(ExecutionResult)
    .describe('One for each terminal. done, exitCode and raw where it was waited for; screen of a machine'),
  summary: summary.optional(),
  runId: z.string().optional().describe('Names a command that is waited for, for `GET /api/runs/{runId}`'),
});
export type Execution = z.output<typeof Execution>;
