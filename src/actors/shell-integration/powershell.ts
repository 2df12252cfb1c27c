import { join } from 'node:path';
import type { StartShell } from './shell-start.js';

/** Arguments of an interactive shell, in any case, as PowerShell takes them. */
const PLAIN = /^-(?:i|interactive|l|login|noe|noexit|nol|nologo|nop|noprofile)$/i;

/** The same, followed by a value. */
const VALUED = /^-(?:ep|ex|executionpolicy|wd|workingdirectory)$/i;

/** PowerShell has no file of ours to read: after the user's profile it runs a command that reads the script. */
export const startPowerShell: StartShell = ({ args, env }, { nonce, folder }) => {
  for (let at = 0; at < args.length; at++) {
    const arg = args[at]!;
    if (VALUED.test(arg) && at + 1 < args.length) at += 1;
    else if (!PLAIN.test(arg)) return undefined;
  }
  const script = join(folder, 'pwsh/marks.ps1').replaceAll("'", "''");
  // Where scripts may not run, the shell starts without marks.
  const command = `try { . '${script}' } catch { }`;
  return {
    args: [...args, '-NoExit', '-Command', command],
    env: { ...env, AUTO_TERMINAL_NONCE: nonce },
  };
};
