import { join } from 'node:path';
import type { StartShell } from './shell-start.js';

/** Parameters of a shell that waits for input, each with the fewest letters that name it. */
const PLAIN = [
  ['login', 'l'],
  ['interactive', 'i'],
  ['noexit', 'noe'],
  ['nologo', 'nol'],
  ['noprofile', 'nop'],
  ['noprofileloadtime', 'noprofileloadtime'],
] as const;

/** The same, followed by a value. */
const VALUED = [
  ['workingdirectory', 'wo'],
  ['wd', 'wd'],
  ['executionpolicy', 'ex'],
  ['ep', 'ep'],
] as const;

/**
 * PowerShell reads no file of ours by itself: after the user's profile it runs a command that reads the script, and
 * stays. The user's arguments go first, since a login shell is one by its first.
 */
export const startPowerShell: StartShell = ({ args, env }, { nonce, folder }) => {
  for (let at = 0; at < args.length; at++) {
    if (isOneOf(VALUED, args[at]!) && at + 1 < args.length) at += 1;
    else if (!isOneOf(PLAIN, args[at]!)) return undefined;
  }
  // A shell that cannot read the script starts without marks.
  const command = `try { . ${quoted(join(folder, 'pwsh/marks.ps1'))} } catch { }`;
  return {
    args: [...args, '-NoExit', '-Command', command],
    env: { ...env, AUTO_TERMINAL_NONCE: nonce },
  };
};

/** As PowerShell takes parameters: in any case, with one dash or two, cut short at will. */
function isOneOf(parameters: typeof PLAIN | typeof VALUED, arg: string): boolean {
  const [, key] = /^--?([a-z]+)$/.exec(arg.toLowerCase()) ?? [];
  return (
    key !== undefined && parameters.some(([name, least]) => name.startsWith(key) && key.startsWith(least))
  );
}

/** Typographic quotes are quotes to PowerShell, too. */
function quoted(text: string): string {
  return `'${text.replace(/['\u2018-\u201b]/g, '$&$&')}'`;
}
