import { z } from 'zod';
import { DEFAULT_ANSWER_BYTES, MAX_ANSWER_BYTES, MAX_BATCH_TERMINALS } from './limits.js';

/** Body of `POST /api/terminals/changes`. */
export const ChangesBody = z.object({
  cursors: z
    .record(z.string(), z.string().nullable())
    .refine((cursors) => Object.keys(cursors).length <= MAX_BATCH_TERMINALS, 'has too many terminals')
    .describe('For each terminal id: the cursor of an earlier answer, or null for all output that is kept'),
  maxBytes: z
    .int()
    .min(0)
    .max(MAX_ANSWER_BYTES)
    .default(DEFAULT_ANSWER_BYTES)
    .describe('Maximum bytes of each `raw`; of longer output, the end is kept'),
});
export type ChangesBody = z.infer<typeof ChangesBody>;

/** Output of one terminal since its cursor. */
const Change = z.object({
  id: z.string(),
  cursor: z.string(),
  raw: z
    .string()
    .describe(
      'Text without escape sequences. Each complete line ends with a line feed, so that answers can simply be concatenated',
    ),
  gap: z
    .boolean()
    .describe('Whether output after the cursor is missing, since it is no longer in the history'),
  truncated: z.boolean().describe('Whether older lines are left out to stay within `maxBytes`'),
});

/** Answer of `POST /api/terminals/changes`. */
export const ChangesAnswer = z.object({
  changes: z
    .array(Change)
    .describe(
      'One entry for each terminal that has printed since its cursor. Once the answer is full, entries have an empty ' +
        '`raw` and the cursor that was sent; a terminal whose cursor was null then has no entry',
    ),
  missing: z.array(z.string()).describe('Ids of terminals that do not exist'),
  invalid: z.array(z.string()).describe('Ids of terminals to which the cursor sent for them does not belong'),
});
export type ChangesAnswer = z.infer<typeof ChangesAnswer>;
