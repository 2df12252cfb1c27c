import { join } from 'node:path';
import type { StartShell } from './shell-start.js';

/** Arguments of an interactive shell that reads its startup files. */
const PLAIN = /^(?:-[il]+|--login|--interactive)$/;

/** zsh finds our .zshenv, which gives the user's ZDOTDIR back. */
export const startZsh: StartShell = ({ args, env }, { nonce, lines, folder, isZdotdirForced }) => {
  if (!args.every((arg) => PLAIN.test(arg))) return undefined;
  // The nonce would stay in the environment of all that it starts.
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
