import { z } from 'zod';
import { AgentState } from './agent.js';
import { Command } from './command.js';
import { hasSelector, machinesError, machinesField, partsField } from './everywhere.js';
import { Labels } from './labels.js';
import { DEFAULT_WAIT_MS, MAX_BATCH_TERMINALS, MAX_WAIT_MS } from './limits.js';
import { hasTargets, targets, targetsError } from './targets.js';
import { ExitReason } from './terminal.js';

/** Something that a caller waits for: a status of an agent, or the end of a command or a program. */
export const Occurrence = z
  .enum(['waiting', 'idle', 'working', 'failed', 'finished', 'exited'])
  .describe(
    "`waiting`, `idle`, `working`: the status of the terminal's coding agent. `failed`: the last command of the shell, or the program of the terminal, has failed. `finished`: the last command of the shell has ended. `exited`: the program of the terminal has ended",
  );
export type Occurrence = z.infer<typeof Occurrence>;

/** Body of `POST /api/terminals/wait`. */
export const WaitManyBody = z
  .object({
    ...targets,
    ...machinesField,
    until: z
      .array(Occurrence)
      .min(1)
      .transform((names) => [...new Set(names)])
      .describe('What to wait for. If several hold in one terminal, the first of them is told'),
    mode: z
      .union([z.enum(['any', 'all']), z.int().min(1)])
      .default('any')
      .describe('In how many of the terminals: in one at least, in all, or in this number'),
    seen: z
      .array(z.string())
      .max(MAX_BATCH_TERMINALS)
      .default([])
      .describe('Values of `id` of earlier answers that have been dealt with: they are not told again'),
    timeoutMs: z.int().min(0).max(MAX_WAIT_MS).default(DEFAULT_WAIT_MS),
  })
  .refine(hasTargets, targetsError)
  .refine(hasSelector, machinesError);
export type WaitManyBody = z.infer<typeof WaitManyBody>;

/** One terminal of the answer. */
export const WaitManyResult = z.object({
  terminalId: z.string(),
  machineId: z.string().optional().describe('With `machines: "all"`, of another machine'),
  event: Occurrence.nullable().describe(
    'What has happened; null if nothing of `until` can happen any more, since the terminal has exited or does not exist',
  ),
  id: z.string().optional().describe('With `event`: names this occurrence; pass it in `seen`'),
  name: z.string().optional(),
  labels: Labels.optional(),
  ...AgentState.partial().shape,
  question: z
    .string()
    .nullable()
    .optional()
    .describe(
      "With `waiting`: the part of the screen that asks; null if the agent's title alone says that it waits",
    ),
  command: Command.optional().describe(
    'With `finished`, and with `failed` if it was a command: that command',
  ),
  exitCode: z.int().nullable().optional().describe('Once the terminal has exited, as in `Terminal`'),
  signal: z.string().nullable().optional().describe('Once the terminal has exited, as in `Terminal`'),
  reason: ExitReason.optional().describe('Once the terminal has exited, as in `Terminal`'),
  error: z.string().optional().describe('If the terminal does not exist'),
  code: z.string().optional().describe('With `error`: the kind of failure'),
});
export type WaitManyResult = z.infer<typeof WaitManyResult>;

/** Answer of `POST /api/terminals/wait`. */
export const WaitManyAnswer = z.object({
  done: z.boolean().describe('Whether as much has happened as `mode` says'),
  results: z
    .array(WaitManyResult)
    .describe(
      'The terminals in which something has happened, or in which nothing of `until` can happen any more',
    ),
  pending: z.array(z.string()).describe('Ids of all other terminals'),
  summary: z.object({
    total: z.int(),
    met: z.int().describe('Terminals in which something has happened'),
    gone: z.int().describe('Terminals in which nothing of `until` can happen any more'),
    pending: z.int(),
  }),
  ...partsField,
});
export type WaitManyAnswer = z.infer<typeof WaitManyAnswer>;
