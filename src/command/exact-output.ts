/**
 * Switches off the translation of line feeds, and the echo of the screen's answers to queries. stty is looked for where
 * this command finds its programs, and in the usual folders: the PATH of the program may be anything.
 */
const SCRIPT = 'PATH=$1:/usr/bin:/bin stty -opost -echo; shift; exec "$@"';

/**
 * Returns a command that runs another in such a way that the output has exactly the bytes that its program writes. The
 * process becomes that program.
 *
 * @param variables - of the program's environment, as the request for the terminal has them
 * @param path - PATH of this command
 */
export function exactly(
  command: readonly string[],
  variables: Readonly<Record<string, string>> | undefined,
  path: string | undefined,
): string[] {
  const dropped = Object.entries(variables ?? {}).filter(([name]) => !isShellName(name));
  const restored = dropped.map(([name, value]) => `${name}=${value}`);
  // env(1) would take a program with such a name for a variable.
  const isVariable = command[0]?.includes('=');
  const setting = restored.length === 0 || isVariable ? [] : ['/usr/bin/env', '--', ...restored];
  // Nothing before the first colon would be the present folder.
  return ['/bin/sh', '-c', SCRIPT, 'sh', path || '/usr/bin', ...setting, ...command];
}

/** Shells drop variables whose names they cannot hold. */
function isShellName(name: string): boolean {
  return /^[A-Za-z_]\w*$/.test(name);
}
