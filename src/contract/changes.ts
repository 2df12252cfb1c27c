import { z } from 'zod';
import { DEFAULT_ANSWER_BYTES, MAX_ANSWER_BYTES, MAX_BATCH_TERMINALS } from './limits.js';

/** Body of `POST /api/terminals/changes`. */
export const ChangesBody = z.object({
  cursors: z
    .record(z.string(), z.string().nullable())
    .refine((cursors) => Object.keys(cursors).length <= MAX_BATCH_TERMINALS, 'has too many terminals')
    .describe('By terminal id: the cursor of an earlier answer; null for all that is kept'),
  maxBytes: z
    .int()
    .min(0)
    .max(MAX_ANSWER_BYTES)
    .default(DEFAULT_ANSWER_BYTES)
    .describe('Of each `raw`; its end is kept'),
});
export type ChangesBody = z.infer<typeof ChangesBody>;

/** Output of one terminal since its cursor. */
const Change = z.object({
  id: z.string(),
  cursor: z.string(),
  raw: z
    .string()
    .describe(
      'Text without escape sequences. A line that has ended has its line feed: what one answer gives after another is the text',
    ),
  gap: z.boolean().describe('Older output has gone from the history'),
  truncated: z.boolean().describe('Older lines are left out for `maxBytes`'),
});

/** Answer of `POST /api/terminals/changes`. */
export const ChangesAnswer = z.object({
  changes: z
    .array(Change)
    .describe(
      'Of the terminals that have printed since. When the answer is full, `raw` of the rest is empty and their ' +
        '`cursor` stays; of a `null` cursor there is no entry then',
    ),
  missing: z.array(z.string()).describe('Ids that no terminal has'),
  invalid: z.array(z.string()).describe('Ids whose cursor is not of that terminal'),
});
export type ChangesAnswer = z.infer<typeof ChangesAnswer>;
