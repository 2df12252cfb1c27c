import { z } from 'zod';
import { ERRORS } from './errors.js';
import { gateFields, refusalFields } from './input-gate.js';
import { AGENT_SUBMIT_DELAY_MS, MAX_LABEL_CHARS } from './limits.js';
import { hasTargets, targets, targetsError } from './targets.js';

/** How a kind of program takes a prompt: the keys that submit the prompt, and the pause before them in milliseconds. */
export interface CliType {
  submit: string;
  submitDelayMs: number;
}

/** The CLI type of a prompt when the caller names none. */
const DEFAULT_CLI_TYPE = 'agent_a';

/** The CLI type that uses the request's own `customPattern`; no setting may define it. */
export const CUSTOM_CLI_TYPE = 'custom';

/** Returns the CLI types that need no configuration. Settings override them and add names. */
export function builtInCliTypes(platform: string): Record<string, CliType> {
  return {
    default: { submit: platform === 'win32' ? '\r\n' : '\r', submitDelayMs: 0 },
    agent_a: { submit: '\r', submitDelayMs: AGENT_SUBMIT_DELAY_MS },
    agent_b: { submit: '\x1b\r', submitDelayMs: AGENT_SUBMIT_DELAY_MS },
    agent_c: { submit: '\r', submitDelayMs: AGENT_SUBMIT_DELAY_MS },
    agent_d: { submit: '\r', submitDelayMs: AGENT_SUBMIT_DELAY_MS },
  };
}

const promptError = { error: ERRORS['prompt-empty'].message };

/** Body of `POST /api/terminals/:id/execute` and `/prompt`. The settings decide which names `cliType` may have. */
export const ExecuteBody = z.object({
  prompt: z.string(promptError).min(1, promptError),
  cliType: z
    .string()
    .max(MAX_LABEL_CHARS)
    .default(DEFAULT_CLI_TYPE)
    .describe(
      'The kind of program that reads the prompt: `agent_a`, `agent_b`, `agent_c`, `agent_d`, `default` (a shell), `custom`, or a name from the setting `cliTypes`',
    ),
  submissionSignal: z
    .string()
    .optional()
    .describe(
      'Exact keys to send after the prompt, in place of those of `cliType`; the empty string sends none',
    ),
  customPattern: z
    .object({ separator: z.string().optional(), end_indicator: z.string().min(1) })
    .optional()
    .describe('Required with `cliType: "custom"`, ignored otherwise'),
  useBracketedPaste: z
    .boolean()
    .default(true)
    .describe('false types the prompt without the escape sequences of a bracketed paste'),
  ...gateFields,
});
export type ExecuteBody = z.infer<typeof ExecuteBody>;

/** Body of `POST /api/terminals/batch/execute`. */
export const BatchExecuteBody = ExecuteBody.extend(targets).refine(hasTargets, targetsError);
export type BatchExecuteBody = z.infer<typeof BatchExecuteBody>;

/** Body of `POST /api/terminals/batch/input`. */
export const BatchInputBody = z
  .object({ ...targets, data: z.string(), ...gateFields })
  .refine(hasTargets, targetsError);
export type BatchInputBody = z.infer<typeof BatchInputBody>;

/** Answer of `POST /api/terminals/:id/execute` and `/prompt`. */
export const ExecuteAnswer = z.object({
  success: z.literal(true),
  prompt: z.string(),
  cliType: z.string(),
  cursor: z
    .string()
    .nullable()
    .describe(
      'Cursor of the output before the prompt was typed, to pass as `since`; null if it could not be determined in time',
    ),
});
export type ExecuteAnswer = z.infer<typeof ExecuteAnswer>;

/** The result for one terminal of a batch. */
export const BatchResult = z.object({
  terminalId: z.string(),
  success: z.boolean(),
  error: z.string().optional().describe('Present if `success` is false: what is wrong'),
  code: z.string().optional().describe('Present with `error`: the kind of failure'),
  fix: z.string().optional().describe('Present with `error` if known: what to do about it'),
  ...refusalFields,
});
export type BatchResult = z.infer<typeof BatchResult>;

/** Answer of both batch routes. */
export const BatchAnswer = z
  .object({
    results: z.array(BatchResult),
    summary: z.object({ total: z.int(), succeeded: z.int(), failed: z.int() }),
  })
  .meta({ id: 'BatchAnswer' });
export type BatchAnswer = z.infer<typeof BatchAnswer>;
