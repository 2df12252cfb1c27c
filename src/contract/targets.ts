import { z } from 'zod';
import { Selector } from './labels.js';
import { MAX_BATCH_TERMINALS } from './limits.js';

/** Ids of one batch, each once, in the order they were first named. */
const terminalIds = z
  .array(z.string())
  .min(1, 'must name at least one terminal')
  .max(MAX_BATCH_TERMINALS)
  .transform((ids) => [...new Set(ids)]);

/** Fields of a batch that say which terminals it is for; see {@link hasTargets}. */
export const targets = {
  terminalIds: terminalIds.optional().describe('Either these, each once, or the `selector`'),
  selector: Selector.optional(),
};

/** What {@link targets} come to. */
export interface Targets {
  terminalIds?: string[] | undefined;
  selector?: Selector | undefined;
}

/** Whether the terminals are named, or selected by their labels, and not both. */
export function hasTargets({ terminalIds, selector }: Targets): boolean {
  return (terminalIds === undefined) !== (selector === undefined);
}

/** What a client reads where {@link hasTargets} does not hold. */
export const targetsError = {
  path: ['terminalIds'],
  message: 'is needed where there is no selector, and must not stand beside one',
};
