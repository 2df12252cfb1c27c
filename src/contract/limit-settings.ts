import { z } from 'zod';
import { Selector } from './labels.js';
import { MAX_LABEL_LIMITS, MAX_TERMINALS_SETTING } from './limits.js';
import { TerminalLimits, TerminalLimitsPatch } from './terminal-limits.js';

const terminals = z.int().min(0).max(MAX_TERMINALS_SETTING);

/** The text of a {@link Selector}, checked as one and kept as it is written. */
const selectorText = z.string().superRefine((text, context) => {
  const { error } = Selector.safeParse(text);
  if (error) context.addIssue({ code: 'custom', message: error.issues[0]?.message ?? 'is no selector' });
});

const labelLimit = {
  selector: selectorText.describe('Labels such as `role=build`; terminals that have all of them count'),
  max: terminals.describe('Terminals with these labels that may run at once'),
};

function limitsWith<Entry extends z.ZodType, Each extends z.ZodType>(entry: Entry, each: Each) {
  return {
    perTerminal: each.describe(
      'Limits of each terminal that is created from now on; a request may name others',
    ),
    maxTerminals: terminals.describe('Terminals that may run at once; absent: no limit'),
    perLabel: z.array(entry).max(MAX_LABEL_LIMITS).describe('Limits for terminals with some labels'),
    minAvailableMemory: z
      .int()
      .min(0)
      .describe(
        'Bytes of memory that must be available (MemAvailable of Linux) for another terminal; absent: no limit',
      ),
    maxMemoryPressure: z
      .number()
      .min(0)
      .max(100)
      .describe(
        'Percent of the last 10 s in which some program waited for memory (PSI of Linux); above it no terminal is created',
      ),
  };
}

/**
 * The section `limits` of the settings: when no further terminal is created, and what each may use. All are absent by
 * default.
 */
export const limits = limitsWith(z.object(labelLimit), TerminalLimits);
/** The same in a PATCH, where unknown keys are refused within `perLabel` and `perTerminal`, too. */
export const limitsPatch = limitsWith(z.strictObject(labelLimit), TerminalLimitsPatch);

const LimitSettings = z.object(limits).partial();
export type LimitSettings = z.infer<typeof LimitSettings>;
