import { readFileSync, statSync } from 'node:fs';

/** The file that each zsh reads first, where one or another build of it has it. */
const FILES: readonly string[] = ['/etc/zsh/zshenv', '/etc/zshenv'];

/** With the value, as far as its word goes. */
const ASSIGNMENT =
  /(?<![\w${])ZDOTDIR=((?:"(?:[^"\\]|\\.)*"|'[^']*'|\$\{[^}]*\}|\$\([^)]*\)|\\.|[^\s;&|"'\\])*)/;

/** The ways in which a script asks for what ZDOTDIR is. */
const QUESTION = /\$\{?[^\s}"']*ZDOTDIR|-v\s+["']?ZDOTDIR|\bprintenv\s+ZDOTDIR/;

/** Faults of a file that zsh cannot read either. */
const UNREADABLE: ReadonlySet<unknown> = new Set(['ENOENT', 'ENOTDIR', 'EISDIR', 'EACCES', 'EPERM']);

/**
 * Whether a zshenv gives ZDOTDIR a value whatever it is. One that asks for it first, or in that value, is taken to
 * leave alone what is there.
 */
export function forcesZdotdir(zshenv: string): boolean {
  const code = zshenv.replace(/(?<=^|[\s;])#.*$/gm, '');
  const assignment = ASSIGNMENT.exec(code);
  return assignment !== null && !QUESTION.test(code.slice(0, assignment.index) + assignment[1]);
}

/**
 * Gives what tells whether the zshenv of the system does so at this moment. It is asked for each start of a shell: a
 * file is read again only once it has changed.
 */
export function zdotdirForce(files: readonly string[] = FILES): () => boolean {
  const known = new Map<string, { version: string; isForced: boolean }>();
  const isForcedBy = (file: string): boolean => {
    const stat = statSync(file, { throwIfNoEntry: false });
    const version = stat ? `${stat.ino} ${stat.size} ${stat.mtimeMs} ${stat.ctimeMs}` : '';
    const before = known.get(file);
    if (before?.version === version) return before.isForced;
    const isForced = stat !== undefined && forcesZdotdir(textOf(file));
    known.set(file, { version, isForced });
    return isForced;
  };
  return () => files.some(isForcedBy);
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (!UNREADABLE.has((error as NodeJS.ErrnoException).code)) throw error;
    return '';
  }
}
