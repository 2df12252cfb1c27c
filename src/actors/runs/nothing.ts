import type { Integration } from '../../contract/command.js';

/** Lines that run nothing. fish also accepts semicolons there. A backslash continues a blank line. */
const NOTHING = { bash: /^\s*(#|\\?$)/, fish: /^[\s;]*(#|\\?$)/ };

/**
 * Returns whether a command consists of blanks and comments, so that its shell runs nothing and has nothing to refuse.
 * In zsh and PowerShell only blanks count: zsh may have comments disabled, and may refuse a line that looks like one.
 */
export function isNothing(command: string, shell: Integration): boolean {
  if (shell !== 'bash' && shell !== 'fish') return command.trim() === '';
  return command.split('\n').every((line) => NOTHING[shell].test(line));
}
