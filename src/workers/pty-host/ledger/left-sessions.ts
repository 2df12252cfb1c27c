import { readFileSync } from 'node:fs';
import { TERMINAL_ID_VARIABLE } from '../../../contract/terminal.js';
import type { ProcessEntry } from '../processes/process-tree.js';

/**
 * Returns whether any of these processes, in a session without its leader, belongs to this terminal. The session's
 * number is no proof, since it may be another session's by now; but everything a terminal starts inherits its id in the
 * environment.
 */
export function carriesId(members: readonly ProcessEntry[], id: string): boolean {
  return members.some(({ pid }) => environmentOf(pid).includes(`${TERMINAL_ID_VARIABLE}=${id}`));
}

function environmentOf(pid: number): string[] {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'latin1').split('\0');
  } catch {
    // The process is gone, or is another user's: it is no proof then.
    return [];
  }
}
