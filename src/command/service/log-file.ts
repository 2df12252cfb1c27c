import { readFileSync } from 'node:fs';

/** Returns the command that prints the end of a log, and follows it also when another file takes its place. */
export function tailCommand(
  file: string,
  { lines, isFollowed }: { lines: string; isFollowed: boolean },
): readonly [string, ...string[]] {
  return ['tail', '-n', lines, ...(isFollowed ? ['-F'] : []), file];
}

/** Returns the last line of a log; empty if there is none. */
export function lastLineOf(file: string): string {
  try {
    return readFileSync(file, 'utf8').trim().split('\n').at(-1) ?? '';
  } catch {
    return '';
  }
}
