import { join } from 'node:path';
import type { StartShell } from './shell-start.js';

/** Arguments of an interactive shell that reads its startup files. */
const PLAIN = /^(?:-[ilP]+|--login|--interactive|--private)$/;

/** Where data files are when XDG_DATA_DIRS does not say. */
const USUAL_FOLDERS = '/usr/local/share:/usr/share';

/** fish finds our script among those of vendors, and the script gives the user's XDG_DATA_DIRS back. */
export const startFish: StartShell = ({ args, env }, { nonce, lines, folder, isZdotdirForced }) => {
  if (!args.every((arg) => PLAIN.test(arg))) return undefined;
  const { XDG_DATA_DIRS } = env;
  return {
    args: [...args],
    env: {
      ...env,
      AUTO_TERMINAL_NONCE: nonce,
      AUTO_TERMINAL_LINES: lines,
      ...(isZdotdirForced() && { AUTO_TERMINAL_PLAIN: 'zsh' }),
      ...(XDG_DATA_DIRS !== undefined && { AUTO_TERMINAL_XDG_DATA_DIRS: XDG_DATA_DIRS }),
      XDG_DATA_DIRS: `${join(folder, 'fish')}:${XDG_DATA_DIRS || USUAL_FOLDERS}`,
    },
  };
};
