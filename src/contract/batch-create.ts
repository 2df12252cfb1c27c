import { z } from 'zod';
import { OverLimit } from './admission.js';
import { MAX_CREATED_AT_ONCE } from './limits.js';
import { CreatedTerminal, CreateTerminal } from './terminal.js';

/** Body of `POST /api/terminals/batch/create`. */
export const BatchCreateBody = z.object({
  terminals: z
    .array(CreateTerminal.loose())
    .min(1)
    .max(MAX_CREATED_AT_ONCE)
    .describe('A body of `POST /api/terminals` for each terminal'),
});

/** Answer of `POST /api/terminals/batch/create`. */
export const BatchCreateAnswer = z.object({
  results: z
    .array(
      z.object({
        success: z.boolean(),
        terminal: CreatedTerminal.optional().describe('Present if `success` is true'),
        error: z.string().optional().describe('Present if `success` is false: what is wrong'),
        code: z.string().optional().describe('Present with `error`: the kind of failure'),
        fix: z.string().optional().describe('Present with `error` if known: what to do about it'),
        ...OverLimit.partial().shape,
      }),
    )
    .describe('A result for each of `terminals`, in the same order'),
  summary: z.object({ total: z.int(), succeeded: z.int(), failed: z.int() }),
});
export type BatchCreateAnswer = z.infer<typeof BatchCreateAnswer>;
