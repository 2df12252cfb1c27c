/** Program names of shells that can be made to print marks around a command. */
const POSIX_SHELLS: ReadonlySet<string> = new Set([
  ...['sh', 'ash', 'dash', 'bash', 'busybox', 'zsh', 'yash'],
  ...['ksh', 'ksh93', 'rksh', 'mksh', 'lksh', 'oksh', 'loksh', 'pdksh'],
]);

/** Options that are followed by a value of their own. */
const WITH_VALUE = /^([-+][a-zA-Z]*[oO]|--rcfile|--init-file)$/;

/** Returns the shell's name for the path of its program; undefined for any other program. */
export function posixShell(path: string): string | undefined {
  const name = programName(path);
  return POSIX_SHELLS.has(name) ? name : undefined;
}

/** Returns the name of a program, given its path or the first word of its command line. */
export function programName(path: string): string {
  // A login shell has a hyphen before its name.
  return path.split('/').at(-1)?.replace(/^-/, '') ?? '';
}

/**
 * Returns the name of the POSIX shell that a command line starts, if that shell reads commands from its terminal: not
 * `sh -c` or a script. Returns undefined otherwise.
 */
export function readingShell([program = '', ...args]: readonly string[]): string | undefined {
  const name = posixShell(program);
  return name !== undefined && readsCommands(name, args) ? name : undefined;
}

function readsCommands(name: string, args: string[]): boolean {
  if (name === 'busybox') {
    const [applet = '', ...rest] = args;
    return applet !== 'busybox' && posixShell(applet) !== undefined && readsCommands(applet, rest);
  }
  for (let index = 0; index < args.length; index++) {
    const option = args[index]!;
    if (/^-[a-zA-Z]*[is]/.test(option)) return true;
    if (/^-[a-zA-Z]*c/.test(option) || !/^[-+]./.test(option)) return false;
    if (WITH_VALUE.test(option)) index++;
  }
  return true;
}
