import type { Targets } from '../contract/targets.js';
import type { TerminalsPort } from './ports.js';

/** Ids of the terminals that a batch is for: those that it names, or those that run and have the labels. */
export function targetIds(
  { terminalIds, selector }: Targets,
  terminals: Pick<TerminalsPort, 'select'>,
): string[] {
  return terminalIds ?? (selector ? terminals.select(selector) : []);
}
