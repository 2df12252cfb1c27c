import { findProgram } from '../pty/spawn-check.js';
import type { PtySpec } from '../pty/starter.js';
import { environmentFor, isShellName, KEPT_PREFIX, restoringLines } from '../tmux/wrapped-environment.js';
import { type Entry, entryLine } from './entry.js';

/** Runs the wrapper. Bash runs it instead if a variable has a name that no shell can hold: only bash passes it on. */
const SH = '/bin/sh';

/**
 * Wraps a program in a shell that is limited first and then becomes the program: the process id stays, and no process is
 * unlimited for a moment. See {@link restoringLines} for the variables that the shell cannot restore.
 */
export function enteredSpec(spec: PtySpec, entry: Entry): PtySpec {
  const { file, path, args, env, cwd } = spec;
  const isOrdinary = Object.keys(env).every(isShellName);
  const bash = isOrdinary ? null : bashPath();
  const [shell, ...options] = bash ? [bash, '--posix'] : [SH];
  const lines = [entryLine(entry, '$$'), ...raisedLevel(env), ...restoringLines(env), 'exec "$@"'];
  // A shell takes a first word with a dash for an option, and searches its PATH for a word without a slash.
  const name = file.startsWith('-') || env.PATH === undefined ? path : file;
  return {
    ...spec,
    ...{ file: shell!, path: shell! },
    args: [...options, '-c', lines.join('\n'), 'auto-terminal', name, ...args],
    env: environmentFor({ env, cwd }),
  };
}

/** A bash lowers the level of shells by one when it becomes another program. */
function raisedLevel({ SHLVL: level = '' }: PtySpec['env']): string[] {
  if (!/^\d{1,3}$/.test(level)) return [];
  return [`case $BASH_VERSION in ?*) ${KEPT_PREFIX}SHLVL=${Number(level) + 1};; esac`];
}

function bashPath(): string | null {
  const found = findProgram({ file: 'bash', args: [], cwd: '/', env: { PATH: process.env.PATH ?? '' } });
  return 'path' in found ? found.path : null;
}
