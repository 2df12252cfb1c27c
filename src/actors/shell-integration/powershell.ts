import { join } from 'node:path';
import type { StartShell } from './shell-start.js';

/** Parameters of a shell that waits for input, each with its shortest abbreviation. */
const PLAIN = [
  ['login', 'l'],
  ['interactive', 'i'],
  ['noexit', 'noe'],
  ['nologo', 'nol'],
  ['noprofile', 'nop'],
  ['noprofileloadtime', 'noprofileloadtime'],
] as const;

/** Parameters that are followed by a value. */
const VALUED = [
  ['workingdirectory', 'wo'],
  ['wd', 'wd'],
  ['executionpolicy', 'ex'],
  ['ep', 'ep'],
] as const;

/**
 * Starts PowerShell with a command that reads the script after the user's profile, and stays: PowerShell reads none of
 * the service's files by itself. The user's arguments come first, since only the first one can ask for a login shell.
 */
export const startPowerShell: StartShell = ({ args, env }, { nonce, folder }) => {
  for (let at = 0; at < args.length; at++) {
    if (isOneOf(VALUED, args[at]!) && at + 1 < args.length) at += 1;
    else if (!isOneOf(PLAIN, args[at]!)) return undefined;
  }
  // If the shell cannot read the script, it starts without marks.
  const command = `try { . ${quoted(join(folder, 'pwsh/marks.ps1'))} } catch { }`;
  return {
    args: [...args, '-NoExit', '-Command', command],
    env: { ...env, AUTO_TERMINAL_NONCE: nonce },
  };
};

/** Compares as PowerShell does with parameters: in any case, with one or two dashes, abbreviated or not. */
function isOneOf(parameters: typeof PLAIN | typeof VALUED, arg: string): boolean {
  const [, key] = /^--?([a-z]+)$/.exec(arg.toLowerCase()) ?? [];
  return (
    key !== undefined && parameters.some(([name, least]) => name.startsWith(key) && key.startsWith(least))
  );
}

/** Quotes a text for PowerShell, which takes typographic quotes for quotes, too. */
function quoted(text: string): string {
  return `'${text.replace(/['\u2018-\u201b]/g, '$&$&')}'`;
}
