/** How a program is started. */
export interface ShellStart {
  /** Path or name of the program. */
  file: string;
  /** Without the program's name. */
  args: string[];
  env: Record<string, string>;
}

/** Facts that the integration of a shell needs. */
export interface IntegrationParts {
  /** Secret that the marks carry: only letters and digits, which no shell treats specially. */
  nonce: string;
  /** Absolute path of the folder in which the shell finds the commands of runs; it need not exist yet. */
  lines: string;
  /** Absolute path of `src/shell-integration`. */
  folder: string;
  /** As `process.platform` has it. */
  platform: string;
  /** Whether the system gives each zsh a ZDOTDIR of its own, so that zsh reads none of the service's files. */
  isZdotdirForced: () => boolean;
}

/**
 * Returns arguments and environment in place of the user's; undefined if the user's own ask for something that
 * the integration does not handle.
 */
export type StartShell = (
  start: Readonly<ShellStart>,
  parts: IntegrationParts,
) => { args: string[]; env: Record<string, string> } | undefined;
