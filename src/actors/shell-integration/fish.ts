import { join } from 'node:path';
import type { StartShell } from './shell-start.js';

/** Arguments of an interactive shell that reads its startup files. */
const PLAIN = /^(?:-[ilP]+|--login|--interactive|--private)$/;

/** Folders of data files when XDG_DATA_DIRS is unset or empty. */
const USUAL_FOLDERS = '/usr/local/share:/usr/share';

/**
 * Starts fish with the integration script among the scripts of vendors, which fish looks up in XDG_DATA_DIRS; the
 * script restores the user's value.
 */
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
