import type { PtySpec } from '../pty/starter.js';

/** Variables that tmux sets or removes in any case, and variables that shells count or record. */
const SET_ANYWAY = [
  ...[
    'TMUX',
    'TMUX_PANE',
    'TERM',
    'TERM_PROGRAM',
    'TERM_PROGRAM_VERSION',
    'COLORTERM',
    'SHELL',
    'PATH',
    'PWD',
  ],
  ...['LISTEN_PID', 'LISTEN_FDS', 'LISTEN_FDNAMES', 'OLDPWD', 'SHLVL'],
];

/** Variables that some shell uses for itself, or ends at if it dislikes the value, as dash does at an OPTIND of `x`. */
const PARTICULAR = [
  ...['IFS', 'PS1', 'PS2', 'PS4', 'OPTARG', 'OPTERR', 'OPTIND', 'LINENO', 'PPID', 'POSIXLY_CORRECT', 'TMOUT'],
  ...[
    'COLUMNS',
    'LINES',
    'RANDOM',
    'SRANDOM',
    'SECONDS',
    'EPOCHREALTIME',
    'EPOCHSECONDS',
    'HISTCMD',
    'HISTSIZE',
  ],
  ...[
    'SHELLOPTS',
    'BASHOPTS',
    'BASH',
    'BASHPID',
    'BASH_ARGV0',
    'BASH_COMMAND',
    'BASH_COMPAT',
    'BASH_SUBSHELL',
  ],
  ...['BASH_EXECUTION_STRING', 'BASH_VERSINFO', 'BASH_VERSION', 'BASH_XTRACEFD', 'COMP_WORDBREAKS'],
  ...['KSHEGID', 'KSHGID', 'KSHUID', 'KSH_VERSION', 'PGRP', 'USER_ID'],
];

const KEPT: ReadonlySet<string> = new Set([...SET_ANYWAY, ...PARTICULAR]);

/** Under a name with this prefix, a variable passes through tmux and the shell unchanged. */
export const KEPT_PREFIX = 'AUTO_TERMINAL_KEPT_';

/** Returns whether a shell can hold a variable of that name; shells other than bash drop what they cannot hold. */
export function isShellName(name: string): boolean {
  return /^[A-Za-z_]\w*$/.test(name);
}

/**
 * Returns the variables to give tmux by `-e`, so that they do not show in the process table. {@link restoringLines}
 * turns them into the program's environment, whose PWD is the folder.
 */
export function environmentFor({ env, cwd }: Pick<PtySpec, 'env' | 'cwd'>): Record<string, string> {
  const variables = Object.entries({ ...env, PWD: cwd });
  return Object.fromEntries(
    variables.map(([name, value]) => [KEPT.has(name) ? `${KEPT_PREFIX}${name}` : name, value]),
  );
}

/**
 * Returns lines of sh that restore the requested environment from the changes that tmux and the shell have made to
 * {@link environmentFor}. They do not restore, by shell: `OPTIND` (dash), `_` (bash, mksh), `PPID`, `SHELLOPTS`,
 * `BASHOPTS`, `BASH_VERSINFO` (bash), `KSH_VERSION`, `PIPESTATUS` (mksh); and without bash, variables whose names no
 * shell takes, such as `A.B` or `BASH_FUNC_x%%`.
 */
export function restoringLines(env: PtySpec['env']): string[] {
  const asked = new Set([...Object.keys(env), 'PWD']);
  const particular = PARTICULAR.filter((name) => asked.has(name));
  const restored = SET_ANYWAY.filter((name) => asked.has(name));
  const unwanted = SET_ANYWAY.filter((name) => !asked.has(name));
  const kept = [...particular, ...restored].map((name) => `${KEPT_PREFIX}${name}`);
  return [
    ...particular.map(restoringIfPossible),
    ...restored.map((name) => `${name}=$${KEPT_PREFIX}${name}; export ${name}`),
    `unset ${[...unwanted, ...kept].join(' ')}`,
  ];
}

/** Tries the restoration in a subshell first, since an assignment that a shell refuses ends the shell. */
function restoringIfPossible(name: string): string {
  const restore = `unset ${name} && ${name}=$${KEPT_PREFIX}${name} && export ${name}`;
  return `{ if (${restore}); then ${restore}; fi; } 2>/dev/null`;
}
