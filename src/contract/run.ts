import { z } from 'zod';
import { ExitCodeReason, Integration } from './command.js';
import { hasSelector, machinesError, machinesField, partsField } from './everywhere.js';
import { gateFields, refusalFields } from './input-gate.js';
import {
  DEFAULT_ANSWER_BYTES,
  DEFAULT_IDLE_MS,
  DEFAULT_WAIT_MS,
  MAX_ANSWER_BYTES,
  MAX_BATCH_TERMINALS,
  MAX_WAIT_MS,
} from './limits.js';
import { commandText } from './strings.js';
import { hasTargets, targets } from './targets.js';
import { WaitedBy } from './wait.js';

/** A command of a run. */
export const RunCommand = commandText.describe('One line or several');

/** Commands of a run, one for each terminal. */
const runs = z
  .array(z.object({ terminalId: z.string(), command: RunCommand }))
  .min(1)
  .max(MAX_BATCH_TERMINALS)
  .refine(
    (all) => new Set(all.map(({ terminalId }) => terminalId)).size === all.length,
    'names a terminal twice',
  );

/** Body of `POST /api/terminals/batch/run`. */
export const BatchRunBody = z
  .object({
    ...targets,
    ...machinesField,
    command: RunCommand.optional().describe('One line or several; required without `runs`'),
    runs: runs
      .optional()
      .describe('A command for each terminal, in place of `command` with `terminalIds` or `selector`'),
    waitFor: z
      .union([z.enum(['all', 'any']), z.int().min(0)])
      .default('all')
      .describe(
        'How many terminals must be done or have failed before the request is answered. The commands of the others continue where they have been typed, and are typed nowhere else. With 0, the answer comes at once, and the whole run goes on: `GET /api/runs/{runId}` waits for it',
      ),
    timeoutMs: z.int().min(0).max(MAX_WAIT_MS).default(DEFAULT_WAIT_MS),
    whenLeft: z
      .enum(['type', 'drop'])
      .default('type')
      .describe(
        'What to do where the command is not typed yet once no client waits for the answer: `type` types it all the same, `drop` never does. Where it is typed, it continues',
      ),
    maxBytes: z
      .int()
      .min(0)
      .max(MAX_ANSWER_BYTES)
      .default(DEFAULT_ANSWER_BYTES)
      .describe('Maximum bytes of each `raw`; of longer output, the end is kept'),
    idleMs: z
      .int()
      .min(1)
      .max(MAX_WAIT_MS)
      .default(DEFAULT_IDLE_MS)
      .describe(
        'Milliseconds without output after which a command counts as done, if nothing reports its end',
      ),
    ...gateFields,
  })
  .refine((body) => (body.runs ? !body.terminalIds && !body.selector : hasTargets(body)), {
    path: ['terminalIds'],
    message: 'is required without selector or runs, and not allowed with them',
  })
  .refine(hasSelector, machinesError)
  .refine(({ machines, waitFor }) => machines === undefined || waitFor === 'all' || waitFor === 0, {
    path: ['waitFor'],
    message: 'must be "all" or 0 with machines',
  })
  // With 0 no client waits from the beginning.
  .refine(({ machines, waitFor, whenLeft }) => whenLeft === 'type' || (!machines && waitFor !== 0), {
    path: ['whenLeft'],
    message: 'must be "type" with machines, and with waitFor 0',
  })
  .refine(({ runs, command }) => (runs === undefined) !== (command === undefined), {
    path: ['command'],
    message: 'is required without runs, and not allowed with it',
  });
export type BatchRunBody = z.infer<typeof BatchRunBody>;

/** The result of the command in one terminal. */
export const RunResult = z.object({
  terminalId: z.string(),
  machineId: z.string().optional().describe('With `machines: "all"`, of another machine'),
  command: z.string().optional().describe('The command, if each terminal has one of its own'),
  success: z
    .boolean()
    .describe(
      'Whether the command was typed, the shell did not refuse it, and nothing has failed since; independent of the exit code',
    ),
  done: z.boolean().describe('Whether the command has ended'),
  exitCode: z
    .int()
    .nullable()
    .describe('Exit code of this command, never of another command; null if unknown'),
  reason: ExitCodeReason.optional().describe('Why `exitCode` is null'),
  durationMs: z.number().nullable(),
  raw: z.string().describe('What the command printed, without escape sequences'),
  truncated: z.boolean(),
  integration: Integration,
  waitedBy: WaitedBy.nullable(),
  error: z.string().optional().describe('Present if `success` is false: what is wrong'),
  code: z
    .string()
    .optional()
    .describe(
      'Present with `error`, the kind of failure: `not-typed-yet`, `not-typed`, `run-cancelled`, `command-refused`, or any code with which a request fails',
    ),
  ...refusalFields,
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

/** One line of `GET /api/runs/:runId/stream`. */
export const RunStreamEvent = z.discriminatedUnion('type', [
  z
    .object({ type: z.literal('output'), terminalId: z.string(), text: z.string() })
    .describe('The next piece of what the command has printed in this terminal'),
  z
    .object({ type: z.literal('redrawn'), terminalId: z.string(), lines: z.int().min(1) })
    .describe(
      'The last `lines` lines of the pieces so far have been drawn over: they come anew in the next pieces',
    ),
  z
    .object({ type: z.literal('gap'), terminalId: z.string() })
    .describe('Output between the pieces before and the next is missing'),
  RunResult.extend({ type: z.literal('result') }).describe(
    'The outcome in this terminal, after all of its pieces; `raw` is empty',
  ),
  z
    .object({ type: z.literal('end'), state: z.enum(['finished', 'cancelled']), summary: RunSummary })
    .describe('The run is over; nothing follows'),
]);
export type RunStreamEvent = z.infer<typeof RunStreamEvent>;

const RunId = z.string().describe('For `GET /api/runs/{runId}`, which reports the state of the run for 24 h');

/** Answer of `POST /api/terminals/batch/run`. */
export const BatchRunAnswer = z.object({
  runId: RunId,
  results: z.array(RunResult),
  summary: RunSummary,
  ...partsField,
});
export type BatchRunAnswer = z.infer<typeof BatchRunAnswer>;

export const RunState = z
  .enum(['running', 'finished', 'cancelled'])
  .describe('`running` until the command has ended in each terminal or `timeoutMs` is over');
export type RunState = z.infer<typeof RunState>;

/** A run without its results. */
export const RunHead = z.object({
  runId: z.string(),
  state: RunState,
  command: z.string().nullable().describe('null if each terminal has one of its own: see the results'),
  createdAt: z.number().describe('Epoch milliseconds'),
  terminals: z.int().describe('Number of terminals in which the command is run'),
});
export type RunHead = z.infer<typeof RunHead>;

/** Answer of `GET /api/runs`. */
export const RunList = z.object({ runs: z.array(RunHead).describe('Newest first') });
export type RunList = z.infer<typeof RunList>;

/** Answer of `GET /api/runs/:runId`: a run in its present state. */
export const Run = RunHead.extend(BatchRunAnswer.omit({ runId: true }).shape).meta({ id: 'Run' });
export type Run = z.infer<typeof Run>;
