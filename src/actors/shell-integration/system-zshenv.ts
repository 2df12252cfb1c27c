import { readFileSync, statSync } from 'node:fs';

/** The system-wide file that each zsh reads first; its path depends on the build of zsh. */
const FILES: readonly string[] = ['/etc/zsh/zshenv', '/etc/zshenv'];

/** Matches an assignment to ZDOTDIR, with the value up to the end of its word. */
const ASSIGNMENT =
  /(?<![\w${])ZDOTDIR=((?:"(?:[^"\\]|\\.)*"|'[^']*'|\$\{[^}]*\}|\$\([^)]*\)|\\.|[^\s;&|"'\\])*)/;

/** Ways in which a script reads ZDOTDIR, or asks whether it is set. */
const QUESTION = /\$\{?[^\s}"']*ZDOTDIR|-v\s+["']?ZDOTDIR|\bprintenv\s+ZDOTDIR/;

/** Errors of a file that zsh cannot read either. */
const UNREADABLE: ReadonlySet<unknown> = new Set(['ENOENT', 'ENOTDIR', 'EISDIR', 'EACCES', 'EPERM']);

/**
 * Returns whether a zshenv sets ZDOTDIR regardless of its value. A zshenv that reads ZDOTDIR before, or in the new value,
 * is taken to keep a value that is set already.
 */
export function forcesZdotdir(zshenv: string): boolean {
  const code = zshenv.replace(/(?<=^|[\s;])#.*$/gm, '');
  const assignment = ASSIGNMENT.exec(code);
  return assignment !== null && !QUESTION.test(code.slice(0, assignment.index) + assignment[1]);
}

/**
 * Returns a function that reports whether the system's zshenv forces ZDOTDIR at this moment. The function is called for
 * each start of a shell, so it reads a file again only once the file has changed.
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
