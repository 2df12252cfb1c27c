import { entryLine } from '../limits/entry.js';
import { MARKER_END, MARKER_START, newExitNonce } from '../pty/exit-marker.js';
import { findProgram } from '../pty/spawn-check.js';
import type { PtySpec } from '../pty/starter.js';
import { ENDED, STARTED } from './marked-output.js';
import { isShellName, KEPT_PREFIX, restoringLines } from './wrapped-environment.js';

/** A program in the form in which tmux runs it. */
export interface WrappedProgram {
  /** More than one word: tmux passes a single word to a shell. */
  argv: string[];
  /** Number in the marks in its output, for MarkedOutput. */
  nonce: string;
}

/** Absolute paths of the tools that the wrapper runs. */
export interface WrapperTools {
  sh: string;
  stty: string;
  sleep: string;
  /** Passes on variables whose names no shell can hold, which only bash does. */
  bash: string | null;
}

/** Name with which the shell's own messages begin. */
const NAME = 'auto-terminal';

/** Variables of the shell, which must not be the program's. */
const PID = `${KEPT_PREFIX}PID`;
const REST = `${KEPT_PREFIX}REST`;

/** Longest time that every sleep(1) takes. */
const FOR_EVER_SECONDS = 2 ** 31 - 1;

/**
 * Signals that programs send to their whole group, which includes the shell. Not HUP, by which the shell ends with its
 * terminal.
 */
const SIGNALS = 'INT QUIT TERM USR1 USR2 ALRM PIPE TSTP';

/** tmux takes some 9,900 words on a line; more arguments than this are packed into fewer words. */
const MAX_WORDS = 1_000;
/** Code points in one packed word: a code point is at most 4 bytes, and Linux takes 128 KiB for one string. */
const PACK_CODE_POINTS = 16 * 1024;

/**
 * Finds the tools on a PATH, which is the host's own, since a program's PATH may be anything. Returns a fault if any
 * tool but bash is missing.
 */
export function findWrapperTools(path: string): WrapperTools | { fault: string } {
  const find = (file: string) => {
    const found = findProgram({ file, args: [], cwd: '/', env: { PATH: path } });
    return 'path' in found ? found.path : null;
  };
  const [sh, stty, sleep, bash = null] = ['sh', 'stty', 'sleep', 'bash'].map(find);
  if (sh && stty && sleep) return { sh, stty, sleep, bash };
  return { fault: `tmux terminals need sh, stty and sleep on PATH (${path})` };
}

/**
 * Wraps a program in a shell that outlives it, since tmux loses the last output of a program that it runs directly: it
 * closes the terminal without reading on. The shell reports the program's pid before its first byte, and how the
 * program ended behind its last byte, by marks in the output (marked-output.ts). The shell ends with the terminal.
 *
 * The program is a child of the shell, in the shell's process group, which has the terminal. Signals to that group do
 * not end the shell, except SIGHUP and SIGKILL. A shell in between cannot preserve everything:
 * - death by SIGINT or SIGPIPE is reported as exit code 130 or 141, since shells report no signal there;
 * - tmux starts programs with SIGTTIN and SIGTTOU ignored, and they stay ignored;
 * - where sh is mksh, it runs its own `echo`, `kill` and the like if asked for these by their bare names;
 * - argv[0] is the absolute path of a program whose name begins with `-`, or that has no PATH;
 * - for the environment, see {@link restoringLines}.
 *
 * Linux only.
 *
 * @param spec - `path` is the path of `file` (spawn-check.ts)
 */
export function wrapped(
  spec: Pick<PtySpec, 'file' | 'path' | 'args' | 'env' | 'entry'>,
  tools: WrapperTools,
): WrappedProgram {
  const nonce = newExitNonce();
  const file = spec.file.startsWith('-') || spec.env.PATH === undefined ? spec.path : spec.file;
  const words = [file, ...spec.args];
  const isPacked = words.length > MAX_WORDS;
  const script = scriptFor(spec, isPacked, tools);
  const shell =
    tools.bash && !Object.keys(spec.env).every(isShellName) ? [tools.bash, '--posix'] : [tools.sh];
  return { argv: [...shell, '-c', script, NAME, nonce, ...(isPacked ? packed(words) : words)], nonce };
}

/**
 * Returns the shell's script. The shell's standard error is a pipe to itself, by way of a here-document, which costs no
 * process: there the shell prints "Killed" for a program that was killed, and nothing for a program that exits with
 * 137. A bash prints this only when it is not in POSIX mode. The mark is written with all signals ignored, so that it
 * is one piece, with Ctrl+S undone, and with `noflsh`: otherwise a Ctrl+C typed after the end makes the kernel drop the
 * output that tmux has not read yet, and with it the mark.
 */
function scriptFor(
  { env, entry }: Pick<PtySpec, 'env' | 'entry'>,
  isPacked: boolean,
  { stty, sleep }: WrapperTools,
): string {
  const lines = [
    'exec 3<<E 2>>/proc/self/fd/3',
    '-',
    'E',
    `trap '' ${SIGNALS}`,
    'case $BASH_VERSION in ?*) set +o posix;; esac',
    '(',
    `trap - ${SIGNALS}`,
    'exec 2>&1 3<&-',
    `read -r ${PID} ${REST} </proc/self/stat`,
    `printf '${markFormat(STARTED, '%s')}' "$1" "$${PID}"`,
    ...(entry ? [entryLine(entry, `"$${PID}"`)] : []),
    `unset ${PID} ${REST}`,
    'shift',
    ...(isPacked ? ['IFS=; eval "set -- $*"; unset IFS'] : []),
    ...restoringLines(env),
    'exec "$@"',
    ')',
    'ended=$?',
    "trap '' TTOU",
    'echo >&2',
    'read -r message <&3; read -r message <&3',
    `${shellQuoted(stty)} -ixon noflsh 2>/dev/null`,
    `printf '${markFormat(ENDED, '%s;%s')}' "$1" "$ended" "\${message:+1}"`,
    `exec ${shellQuoted(sleep)} ${FOR_EVER_SECONDS}`,
  ];
  return `${lines.join('\n')}\n`;
}

/** Returns a mark as a format of printf(1), which takes the nonce and the values for `fields`. */
function markFormat(what: string, fields: string): string {
  const escaped = (text: string) => text.replaceAll('\\', '\\\\').replaceAll('\x1b', '\\033');
  return `${escaped(MARKER_START)}%s;${what};${fields}${escaped(MARKER_END)}`;
}

/** Quotes words for a shell, and cuts the text anywhere. */
function packed(words: readonly string[]): string[] {
  const text = words.map(shellQuoted).join(' ');
  return text.match(new RegExp(`[^]{1,${PACK_CODE_POINTS}}`, 'gu')) ?? [];
}

function shellQuoted(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}
