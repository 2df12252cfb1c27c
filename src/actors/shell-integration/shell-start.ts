/** How a program is started. */
export interface ShellStart {
  /** Path or name of the program. */
  file: string;
  /** Without the program's name. */
  args: string[];
  env: Record<string, string>;
}

/** What a shell is told by. */
export interface IntegrationParts {
  /** Secret that the marks carry: letters and digits, which mean nothing in any shell. */
  nonce: string;
  /** Absolute path of the folder in which the shell finds the commands of runs; it need not exist yet. */
  lines: string;
  /** Absolute path of `src/shell-integration`. */
  folder: string;
  /** As `process.platform` has it. */
  platform: string;
  /** Whether each zsh is given a ZDOTDIR that is not ours, so that it reads nothing of ours. */
  isZdotdirForced: () => boolean;
}

/** Arguments and environment in place of the user's; undefined when these say something that it cannot follow. */
export type StartShell = (
  start: Readonly<ShellStart>,
  parts: IntegrationParts,
) => { args: string[]; env: Record<string, string> } | undefined;
