import { join } from 'node:path';
import type { StartShell } from './shell-start.js';

/** Single-letter arguments of an interactive shell: login, interactive. */
const LETTERS = /^-[il]+$/;

/** The options of bash that the user's arguments ask for. */
interface Asked {
  login: boolean;
  norc: boolean;
  noprofile: boolean;
  /** File to read in place of ~/.bashrc. */
  rcFile: string | undefined;
  /** Arguments that are passed on to bash; long ones have to come first. */
  long: string[];
  letters: string[];
}

/**
 * Starts bash with the integration script. A shell that is no login shell reads the script in place of ~/.bashrc, after
 * the system-wide file, whose path only bash knows. A login shell takes no such file, and neither does a shell with
 * `--norc`: these start in POSIX mode, in which bash reads $ENV and nothing else, and the script itself reads the other
 * startup files.
 */
export const startBash: StartShell = ({ args, env }, { nonce, lines, folder, isZdotdirForced }) => {
  const asked = read(args);
  if (asked === undefined || isPosix(env)) return undefined;
  const script = join(folder, 'bash/start.bash');
  const { login, norc, noprofile, rcFile, long, letters } = asked;
  const own = {
    AUTO_TERMINAL_NONCE: nonce,
    AUTO_TERMINAL_LINES: lines,
    ...(isZdotdirForced() && { AUTO_TERMINAL_PLAIN: 'zsh' }),
    ...(rcFile !== undefined && { AUTO_TERMINAL_BASH_RC: rcFile }),
  };
  if (!login && !norc) {
    return { args: ['--init-file', script, ...long, ...letters], env: { ...env, ...own } };
  }
  const words = ['posix', norc && 'norc', noprofile && 'noprofile'].filter(Boolean);
  return {
    args: ['--posix', ...long, ...letters],
    env: {
      ...env,
      ...own,
      AUTO_TERMINAL_BASH: words.join(' '),
      ...(env.ENV !== undefined && { AUTO_TERMINAL_ENV: env.ENV }),
      ENV: script,
    },
  };
};

/**
 * Returns what the arguments ask for; undefined if any of them does not belong to an interactive shell with a prompt.
 */
function read(args: readonly string[]): Asked | undefined {
  const asked: Asked = {
    ...{ login: false, norc: false, noprofile: false, rcFile: undefined },
    ...{ long: [], letters: [] },
  };
  for (let at = 0; at < args.length; at++) {
    const arg = args[at]!;
    if (LETTERS.test(arg)) {
      asked.letters.push(arg);
      if (arg.includes('l')) asked.login = true;
    } else if (asked.letters.length > 0) {
      return undefined;
    } else if (arg === '--login') {
      asked.long.push(arg);
      asked.login = true;
    } else if (arg === '--noediting') {
      asked.long.push(arg);
    } else if (arg === '--norc') {
      asked.norc = true;
    } else if (arg === '--noprofile') {
      asked.noprofile = true;
    } else if ((arg === '--rcfile' || arg === '--init-file') && at + 1 < args.length) {
      at += 1;
      asked.rcFile = args[at];
    } else {
      return undefined;
    }
  }
  return asked;
}

/** Returns whether the user wants POSIX mode, in which bash reads none of its own startup files. */
function isPosix({ POSIXLY_CORRECT, SHELLOPTS = '' }: Record<string, string>): boolean {
  return POSIXLY_CORRECT !== undefined || SHELLOPTS.split(':').includes('posix');
}
