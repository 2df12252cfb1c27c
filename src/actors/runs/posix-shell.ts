/** Shells that can be told to print marks, by the name of their program. */
const POSIX_SHELLS: ReadonlySet<string> = new Set([
  ...['sh', 'ash', 'dash', 'bash', 'busybox', 'zsh', 'yash'],
  ...['ksh', 'ksh93', 'rksh', 'mksh', 'lksh', 'oksh', 'loksh', 'pdksh'],
]);

/** Options that are followed by a value of their own. */
const WITH_VALUE = /^([-+][a-zA-Z]*[oO]|--rcfile|--init-file)$/;

/** The name of such a shell, by the path of its program; undefined for what is none. */
export function posixShell(path: string): string | undefined {
  const name = programName(path);
  return POSIX_SHELLS.has(name) ? name : undefined;
}

/** The name of a program by its path, or by the first word of its command line. */
export function programName(path: string): string {
  // The shell of a login has a hyphen before its name.
  return path.split('/').at(-1)?.replace(/^-/, '') ?? '';
}

/** The name of the shell that a command line starts, if it reads commands from its terminal: not `sh -c` or a script. */
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
