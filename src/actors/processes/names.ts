import type { ProcessDetails } from './process-table.js';

/** Bytes of a process name that Linux keeps. */
const KERNEL_NAME_BYTES = 15;

/** Returns the last part of a path, without `.exe` and without the hyphen of a login shell. */
export function baseName(path: string): string {
  const name = path.split(/[/\\]/).at(-1) ?? '';
  return name.replace(/^-(?=.)/, '').replace(/\.exe$/i, '');
}

/**
 * Returns whether a command line is a title that the program has given itself: one text with blanks that is not a path.
 */
export function isTitle(argv: readonly string[]): boolean {
  const [text = ''] = argv;
  return argv.length === 1 && text.includes(' ') && !/^([./\\~]|[A-Za-z]:\\)/.test(text);
}

/** Returns the first word of a title, such as `npm exec x` or `tmux: client`. */
function firstWord(title: string): string {
  return baseName(title.split(' ')[0] ?? '').replace(/:$/, '');
}

/** Returns a process's own name by its command line: the base name of its program, or the first word of its title. */
export function calledName(argv: readonly string[]): string {
  const [program = ''] = argv;
  return isTitle(argv) ? firstWord(program) : baseName(program);
}

/**
 * Returns the name by which a user would call the process. The kernel's name may be cut short, be the title of a thread
 * (Node names its first thread), or a title that the program has given itself.
 */
export function displayName(kernelName: string, { argv, exe }: ProcessDetails): string {
  const called = calledName(argv);
  const file = exe === null ? '' : baseName(exe);
  // A cut may leave half a character, which reads as a replacement character.
  const name = kernelName.replace(/\ufffd+$/, '');
  if (/(^|-)MainThread$/.test(name)) return called || file || name;
  if (/^[^\s/]+:? /.test(name) && (isTitle(argv) || name.includes(': '))) return firstWord(name);
  if (Buffer.byteLength(kernelName) < KERNEL_NAME_BYTES) return baseName(name) || called;
  return [called, file].find((candidate) => candidate.startsWith(name)) ?? baseName(name);
}
