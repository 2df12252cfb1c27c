import type { Targets } from '../contract/targets.js';
import type { TerminalsPort } from './ports.js';

/** Returns the ids of the terminals that a batch is for: the named terminals, or the running ones with these labels. */
export function targetIds(
  { terminalIds, selector }: Targets,
  terminals: Pick<TerminalsPort, 'select'>,
): string[] {
  return terminalIds ?? (selector ? terminals.select(selector) : []);
}
