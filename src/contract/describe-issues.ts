import type { z } from 'zod';
import { ERRORS } from './errors.js';
import { wordsOfIssue } from './issue-words.js';

const MAX_ISSUES = 5;
/** More than MAX_ISSUES, since some may be the same. */
const MAX_LOOKED_AT = 100;
/** A line may quote the data, which may have any length. */
const MAX_ISSUE_CHARS = 500;

/** Messages that the API's documentation promises word for word; they come without their field's name. */
const PROMISED: ReadonlySet<string> = new Set(Object.values(ERRORS).map((error) => error.message));

/** Returns a field's name: `{path: ['terminalIds', 3]}` -> `terminalIds[3]`. The root is named `part`. */
function nameOf(path: readonly PropertyKey[], part: string): string {
  const [first, ...rest] = path.map(String);
  return first === undefined ? part : first + rest.map((key) => `[${key}]`).join('');
}

/**
 * Returns what is wrong with data, as one readable line: `cols: Too big: at most 1000; rows: ...`.
 * `part` names the data as a whole. Lists at most 5 issues, of 500 characters each.
 */
export function describeIssues(error: z.ZodError, part: string): string {
  const lines = error.issues
    .slice(0, MAX_LOOKED_AT)
    .map((issue) =>
      PROMISED.has(issue.message) ? issue.message : `${nameOf(issue.path, part)}: ${wordsOfIssue(issue)}`,
    );
  return [...new Set(lines.map((line) => line.slice(0, MAX_ISSUE_CHARS)))].slice(0, MAX_ISSUES).join('; ');
}
