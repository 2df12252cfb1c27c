import type { Rights } from '../actors/access/rights.js';
import type { Targets } from '../contract/targets.js';
import type { TerminalsPort } from './ports.js';

/**
 * Returns the ids of the terminals that a batch is for: the named terminals, or the running terminals with these
 * labels. Throws terminal-not-found if the client must not know of a terminal that it names.
 */
export function targetIds(
  { terminalIds, selector }: Targets,
  terminals: Pick<TerminalsPort, 'select'>,
  rights: Rights,
): string[] {
  if (terminalIds) rights.requireSight(terminalIds);
  return terminalIds ?? (selector ? terminals.select(selector).filter((id) => rights.sees(id)) : []);
}
