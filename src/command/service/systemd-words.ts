// Text in unit files, by the rules of systemd.syntax(7), systemd.unit(5) and systemd.service(5).

/** Characters that a quoted word cannot have as they are: they would end the line, or be dropped. */
const CONTROLS = /[\x01-\x1f\x7f]/g;

/** Words that systemd leaves unchanged. */
const PLAIN = /^[\w@+=:,./-]+$/;

/** Characters that systemd refuses in the path of a program, however it is quoted. */
const NO_PROGRAM = /["'\\\x01-\x1f\x7f]/;

/** Returns a value in quotes, as a setting such as `Environment=` takes it. A percent sign begins a specifier there. */
export function quotedValue(text: string): string {
  const escaped = text
    .replace(/[\\"]/g, '\\$&')
    .replaceAll('%', '%%')
    .replace(CONTROLS, (character) => `\\x${character.charCodeAt(0).toString(16).padStart(2, '0')}`);
  return `"${escaped}"`;
}

/** Returns an argument for `ExecStart=`, in quotes if it needs them. A dollar sign begins a variable there. */
function argument(text: string): string {
  return PLAIN.test(text) ? text : quotedValue(text).replaceAll('$', '$$$$');
}

/** Returns a command line for `ExecStart=`. Its program must be one that {@link canBeProgram} accepts. */
export function execLine([program = '', ...args]: readonly string[]): string {
  // In the program's path a dollar sign is an ordinary character.
  return [PLAIN.test(program) ? program : quotedValue(program), ...args.map(argument)].join(' ');
}

/** Returns whether systemd can start a program with this path. */
export function canBeProgram(path: string): boolean {
  return path.startsWith('/') && !NO_PROGRAM.test(path);
}
