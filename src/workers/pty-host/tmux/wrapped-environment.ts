import type { PtySpec } from '../starter.js';

/** What tmux gives every program whatever it was asked for, or takes from it; and what shells count and note. */
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

/** What one shell or another takes for itself, or ends at if it is not to its mind, as dash at an OPTIND of `x`. */
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

/** Under such a name a variable gets past tmux and the shell. */
const KEPT_PREFIX = 'AUTO_TERMINAL_KEPT_';

/** Whether a shell can hold a variable of that name; others but bash drop what they can not. */
export function isShellName(name: string): boolean {
  return /^[A-Za-z_]\w*$/.test(name);
}

/**
 * What tmux is to be given by `-e`, so that nobody sees it in the process table: {@link restoringLines} makes the
 * program's environment of it, whose PWD is the folder.
 */
export function environmentFor({ env, cwd }: Pick<PtySpec, 'env' | 'cwd'>): Record<string, string> {
  const variables = Object.entries({ ...env, PWD: cwd });
  return Object.fromEntries(
    variables.map(([name, value]) => [KEPT.has(name) ? `${KEPT_PREFIX}${name}` : name, value]),
  );
}

/**
 * Lines of sh that make what was asked for of what tmux and the shell have made of {@link environmentFor}. Not
 * restored are, by shell: `OPTIND` (dash), `_` (bash, mksh), `PPID`, `SHELLOPTS`, `BASHOPTS`, `BASH_VERSINFO` (bash),
 * `KSH_VERSION`, `PIPESTATUS` (mksh), and without a bash whatever is no name to a shell, as `A.B`, or `BASH_FUNC_x%%`.
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

/** What a shell refuses ends it: a child of it tries. */
function restoringIfPossible(name: string): string {
  const restore = `unset ${name} && ${name}=$${KEPT_PREFIX}${name} && export ${name}`;
  return `{ if (${restore}); then ${restore}; fi; } 2>/dev/null`;
}
