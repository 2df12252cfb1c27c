import { join } from 'node:path';
import type { StartShell } from './shell-start.js';

/** Arguments of an interactive shell that reads its startup files. */
const PLAIN = /^(?:-[il]+|--login|--interactive)$/;

/** Starts zsh with the service's folder as ZDOTDIR; the .zshenv there restores the user's ZDOTDIR. */
export const startZsh: StartShell = ({ args, env }, { nonce, lines, folder, isZdotdirForced }) => {
  if (!args.every((arg) => PLAIN.test(arg))) return undefined;
  // The service's .zshenv would not be read, and the nonce would stay in the environment of everything that the shell
  // starts.
  if (isZdotdirForced()) return undefined;
  return {
    args: [...args],
    env: {
      ...env,
      AUTO_TERMINAL_NONCE: nonce,
      AUTO_TERMINAL_LINES: lines,
      ...(env.ZDOTDIR !== undefined && { AUTO_TERMINAL_ZDOTDIR: env.ZDOTDIR }),
      ZDOTDIR: join(folder, 'zsh'),
    },
  };
};
