import { z } from 'zod';
import { Selector } from './labels.js';
import { MAX_BATCH_TERMINALS } from './limits.js';

/** Terminal ids of one batch, each once, in the order of their first mention. */
const terminalIds = z
  .array(z.string())
  .min(1, 'must name at least one terminal')
  .max(MAX_BATCH_TERMINALS)
  .transform((ids) => [...new Set(ids)]);

/** Fields of a batch that select its terminals; see {@link hasTargets}. */
export const targets = {
  terminalIds: terminalIds
    .optional()
    .describe('Give either these ids or `selector`; repeated ids count once'),
  selector: Selector.optional(),
};

/** Parsed value of {@link targets}. */
export interface Targets {
  terminalIds?: string[] | undefined;
  selector?: Selector | undefined;
}

/** Returns whether the terminals are either named or selected by their labels, not both. */
export function hasTargets({ terminalIds, selector }: Targets): boolean {
  return (terminalIds === undefined) !== (selector === undefined);
}

/** Error for a client whose request {@link hasTargets} rejects. */
export const targetsError = {
  path: ['terminalIds'],
  message: 'is required without selector, and not allowed with it',
};
