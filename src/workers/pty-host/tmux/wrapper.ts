import { MARKER_END, MARKER_START, newNonce } from '../exit-marker.js';
import { findProgram } from '../spawn-check.js';
import type { PtySpec } from '../starter.js';
import { ENDED, STARTED } from './marked-output.js';
import { isShellName, restoringLines } from './wrapped-environment.js';

/** A program as tmux is to run it. */
export interface WrappedProgram {
  /** More than one word: tmux hands a single one to a shell. */
  argv: string[];
  /** Of the marks in its output, for MarkedOutput. */
  nonce: string;
}

/** Absolute paths of what the wrapper runs. */
export interface WrapperTools {
  sh: string;
  stty: string;
  sleep: string;
  /** Hands on variables whose names no shell can hold, as only it does. */
  bash: string | null;
}

/** What the shell's own messages begin with. */
const NAME = 'auto-terminal';

/** The most that every sleep(1) takes. */
const FOR_EVER_SECONDS = 2 ** 31 - 1;

/** What programs send to their whole group, in which the shell is. Not HUP, by which it ends with its terminal. */
const SIGNALS = 'INT QUIT TERM USR1 USR2 ALRM PIPE TSTP';

/** tmux takes some 9,900 words on a line; more arguments than these are packed into fewer. */
const MAX_WORDS = 1_000;
/** A code point is at most 4 bytes, and Linux takes 128 KiB for one string. */
const PACK_CODE_POINTS = 16 * 1024;

/** Finds the tools on a PATH, which is the host's own, as a program's may be anything; or tells which is missing. */
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
 * Has the program run under a shell that outlives it, since tmux loses what a program of its own prints last: it
 * closes the terminal without reading on. The shell tells the program's pid before its first byte and how it ended
 * behind its last one, by marks in the output (marked-output.ts), and ends with the terminal.
 *
 * The program is a child of the shell's, in its process group, which has the terminal. Nothing that signals its group
 * ends the shell, save SIGHUP and SIGKILL. What a shell in between can not keep:
 * - death by SIGINT and SIGPIPE is told as exit code 130 and 141, as shells do not tell the two apart;
 * - tmux starts programs with SIGTTIN and SIGTTOU ignored, and so they stay;
 * - where sh is mksh, it runs its own `echo`, `kill` and the like if asked for these by their bare names;
 * - argv[0] is the absolute path of a program whose name begins with `-`, or that has no PATH;
 * - of the environment: see {@link restoringLines}.
 *
 * Linux only.
 *
 * @param spec - `path` is that of `file` (spawn-check.ts)
 */
export function wrapped(
  spec: Pick<PtySpec, 'file' | 'path' | 'args' | 'env'>,
  tools: WrapperTools,
): WrappedProgram {
  const nonce = newNonce();
  const file = spec.file.startsWith('-') || spec.env.PATH === undefined ? spec.path : spec.file;
  const words = [file, ...spec.args];
  const isPacked = words.length > MAX_WORDS;
  const script = scriptFor(spec.env, isPacked, tools);
  const shell =
    tools.bash && !Object.keys(spec.env).every(isShellName) ? [tools.bash, '--posix'] : [tools.sh];
  return { argv: [...shell, '-c', script, NAME, nonce, ...(isPacked ? packed(words) : words)], nonce };
}

/**
 * The shell's standard error is a pipe to itself, by way of a here-document, which costs no process: there it says
 * "Killed" of a program that was killed, and nothing of one that exits with 137. A bash says so only when it does not
 * play sh. The mark is written with all signals ignored, so that it is one piece, with Ctrl+S undone,
 * and with `noflsh`: a Ctrl+C typed behind the end would have the kernel drop what tmux has not read yet, the mark too.
 */
function scriptFor(env: PtySpec['env'], isPacked: boolean, { stty, sleep }: WrapperTools): string {
  const lines = [
    'exec 3<<E 2>>/proc/self/fd/3',
    '-',
    'E',
    `trap '' ${SIGNALS}`,
    'case $BASH_VERSION in ?*) set +o posix;; esac',
    '(',
    `trap - ${SIGNALS}`,
    'exec 2>&1 3<&-',
    'read -r AUTO_TERMINAL_PID AUTO_TERMINAL_REST </proc/self/stat',
    `printf '${markFormat(STARTED, '%s')}' "$1" "$AUTO_TERMINAL_PID"`,
    'unset AUTO_TERMINAL_PID AUTO_TERMINAL_REST',
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

/** A mark as printf(1) writes it, from the nonce and what `fields` are formats of. */
function markFormat(what: string, fields: string): string {
  const escaped = (text: string) => text.replaceAll('\\', '\\\\').replaceAll('\x1b', '\\033');
  return `${escaped(MARKER_START)}%s;${what};${fields}${escaped(MARKER_END)}`;
}

/** Words of a shell as text that is cut anywhere. */
function packed(words: readonly string[]): string[] {
  const text = words.map(shellQuoted).join(' ');
  return text.match(new RegExp(`[^]{1,${PACK_CODE_POINTS}}`, 'gu')) ?? [];
}

function shellQuoted(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}
