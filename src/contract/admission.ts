import { z } from 'zod';
import { Caller } from './caller.js';
import { Labels } from './labels.js';
import { MAX_PRIORITY, MAX_WAIT_MS, MAX_WAITING_CREATIONS, PACE_WAIT_MS } from './limits.js';

/** Fields of a request that creates a terminal: how it waits while the service is at a limit. */
export const waiting = {
  queueMs: z
    .int()
    .min(0)
    .max(MAX_WAIT_MS)
    .optional()
    .describe(
      'Milliseconds to wait in line while the service is at one of its `limits`; without it, the answer is 429 at once, or ' +
        `after up to ${PACE_WAIT_MS / 1_000} s where only the pace of a memory limit is in the way`,
    ),
  priority: z
    .int()
    .min(-MAX_PRIORITY)
    .max(MAX_PRIORITY)
    .optional()
    .describe(
      'Place in that line: a higher number first, and first come, first served among equals; 0 by default',
    ),
};

/** The limit that keeps a creation from being admitted. */
export const Obstacle = z.object({
  limit: z
    .enum(['maxTerminals', 'perLabel', 'minAvailableMemory', 'maxMemoryPressure', 'pace', 'queue'])
    .describe(
      'The setting of `limits`; `pace`: under a memory limit, terminals are created a few a second; `queue`: too many wait',
    ),
  selector: z.string().optional().describe('With `perLabel`: which of its limits'),
  value: z.number().describe('What is in use now, or is available'),
  max: z.number().optional().describe('What `value` may be at most'),
  min: z.number().optional().describe('With `minAvailableMemory`: what `value` must be at least'),
});
export type Obstacle = z.infer<typeof Obstacle>;

/** Fields of a failure `over-limit`, besides the fields of every failure. */
export const OverLimit = Obstacle.extend({
  position: z
    .int()
    .optional()
    .describe('The place in line that it had, or would have had, from 1; absent with `queue`'),
  retryAfterMs: z.int().describe('Milliseconds after which to try again: advice, since no end is known'),
});

const Waiting = z.object({
  position: z.int().describe('Place in line, from 1'),
  terminalId: z.string().describe('Id that the terminal will have'),
  name: z.string().nullable(),
  labels: Labels,
  mode: z.enum(['api', 'mcp', 'ui', 'fleet']).describe('Who asks for it'),
  caller: Caller.nullable().describe('The terminal that asks for it, as far as it is known'),
  priority: z.int(),
  since: z.int().describe('Epoch milliseconds'),
  until: z.int().describe('When it is refused, in epoch milliseconds'),
  obstacle: Obstacle.describe('What it waits for, or what the creation before it waits for'),
});
export type Waiting = z.infer<typeof Waiting>;

/** Answer of `GET /api/limits`. */
export const LimitsAnswer = z
  .object({
    terminals: z.object({
      running: z.int(),
      starting: z.int().describe('Admitted, and not running yet; these count like running ones'),
      max: z.int().nullable().describe('`limits.maxTerminals`; null without a limit, as all below'),
    }),
    perLabel: z.array(
      z.object({
        selector: z.string(),
        terminals: z.int().describe('Running and starting terminals with these labels'),
        max: z.int(),
      }),
    ),
    memory: z.object({
      availableBytes: z
        .number()
        .nullable()
        .describe('Available memory; null if the system does not report it'),
      minAvailable: z.int().nullable(),
      pressure: z
        .number()
        .nullable()
        .describe('Percent of the last 10 s in which some program waited for memory; null if it is unknown'),
      maxPressure: z.number().nullable(),
    }),
    unknown: z
      .array(z.string())
      .describe('Limits that are set and refuse nothing, since the system does not report what they limit'),
    queue: z.object({
      length: z.int(),
      max: z.literal(MAX_WAITING_CREATIONS),
      waiting: z.array(Waiting).describe('In the order of the line'),
    }),
    refused: z.int().describe('Creations refused since the start of the service'),
  })
  .meta({ id: 'Limits' });
export type LimitsAnswer = z.infer<typeof LimitsAnswer>;
