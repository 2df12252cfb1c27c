import { z } from 'zod';
import { ExitCodeReason, Integration } from './command.js';
import {
  DEFAULT_ANSWER_BYTES,
  DEFAULT_IDLE_MS,
  DEFAULT_WAIT_MS,
  MAX_ANSWER_BYTES,
  MAX_WAIT_MS,
} from './limits.js';
import { commandText } from './strings.js';
import { hasTargets, targets, targetsError } from './targets.js';
import { WaitedBy } from './wait.js';

/** Body of `POST /api/terminals/batch/run`. */
export const BatchRunBody = z
  .object({
    ...targets,
    command: commandText.describe('May be of several lines'),
    waitFor: z
      .union([z.enum(['all', 'any']), z.int().min(1)])
      .default('all')
      .describe('Answers once so many are done, or failed; the others go on'),
    timeoutMs: z.int().min(0).max(MAX_WAIT_MS).default(DEFAULT_WAIT_MS),
    maxBytes: z
      .int()
      .min(0)
      .max(MAX_ANSWER_BYTES)
      .default(DEFAULT_ANSWER_BYTES)
      .describe('Of each `raw`; its end is kept'),
    idleMs: z
      .int()
      .min(1)
      .max(MAX_WAIT_MS)
      .default(DEFAULT_IDLE_MS)
      .describe('Quiet for so long counts as done where nothing tells the end of a command'),
  })
  .refine(hasTargets, targetsError);
export type BatchRunBody = z.infer<typeof BatchRunBody>;

/** The result of the command in one terminal. */
export const RunResult = z.object({
  terminalId: z.string(),
  success: z
    .boolean()
    .describe(
      'It was typed, the shell did not refuse it, and nothing failed since; says nothing about its exit code',
    ),
  done: z.boolean().describe('It has ended'),
  exitCode: z.int().nullable().describe('Of the command, where it is known, and never that of another one'),
  reason: ExitCodeReason.optional().describe('When `exitCode` is null: why'),
  durationMs: z.number().nullable(),
  raw: z.string().describe('What it printed, without escape sequences'),
  truncated: z.boolean(),
  integration: Integration,
  waitedBy: WaitedBy.nullable(),
  error: z.string().optional().describe('When `success` is false'),
  code: z
    .string()
    .optional()
    .describe(
      'Beside `error`: the kind of failure; `not-typed-yet`, `not-typed`, `run-cancelled`, `command-refused`, or that of a request',
    ),
});
export type RunResult = z.infer<typeof RunResult>;

const RunSummary = z.object({
  total: z.int(),
  succeeded: z.int(),
  failed: z.int(),
  done: z.int(),
  zero: z.int().describe('Done with exit code 0'),
  nonZero: z.int().describe('Done with another exit code'),
});
export type RunSummary = z.infer<typeof RunSummary>;

const RunId = z.string().describe('`GET /api/runs/{runId}` answers for 24 h how the run stands');

/** Answer of `POST /api/terminals/batch/run`. */
export const BatchRunAnswer = z.object({ runId: RunId, results: z.array(RunResult), summary: RunSummary });
export type BatchRunAnswer = z.infer<typeof BatchRunAnswer>;

export const RunState = z
  .enum(['running', 'finished', 'cancelled'])
  .describe('`running` until it is done in each terminal, or its time is over');
export type RunState = z.infer<typeof RunState>;

/** A run without its results. */
export const RunHead = z.object({
  runId: z.string(),
  state: RunState,
  command: z.string(),
  createdAt: z.number().describe('Epoch milliseconds'),
  terminals: z.int().describe('How many it is for'),
});
export type RunHead = z.infer<typeof RunHead>;

/** Answer of `GET /api/runs`. */
export const RunList = z.object({ runs: z.array(RunHead).describe('Newest first') });
export type RunList = z.infer<typeof RunList>;

/** Answer of `GET /api/runs/:runId`: a run in its present state. */
export const Run = RunHead.extend(BatchRunAnswer.omit({ runId: true }).shape).meta({ id: 'Run' });
export type Run = z.infer<typeof Run>;
