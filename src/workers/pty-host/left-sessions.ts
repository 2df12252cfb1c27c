import { readFileSync } from 'node:fs';
import { TERMINAL_ID_VARIABLE } from '../../contract/terminal.js';
import type { ProcessEntry } from './process-tree.js';

/**
 * Whether one of these processes of a session without its leader belongs to this terminal. The number alone does not
 * tell: it may be another session's by now. What a terminal starts inherits the id in its environment.
 */
export function carriesId(members: readonly ProcessEntry[], id: string): boolean {
  return members.some(({ pid }) => environmentOf(pid).includes(`${TERMINAL_ID_VARIABLE}=${id}`));
}

function environmentOf(pid: number): string[] {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'latin1').split('\0');
  } catch {
    // Gone meanwhile, or another user's: nothing speaks for it then.
    return [];
  }
}
