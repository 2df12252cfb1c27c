import type { z } from 'zod';
import { ERRORS } from './errors.js';

const MAX_ISSUES = 5;
/** Some may be the same. */
const MAX_LOOKED_AT = 100;
/** What was sent may stand in a line, and may be of any length. */
const MAX_ISSUE_CHARS = 500;

/** Messages that the API's documentation promises word for word; they stand without their field's name. */
const PROMISED: ReadonlySet<string> = new Set(Object.values(ERRORS).map((error) => error.message));

/** `{path: ['terminalIds', 3]}` -> `terminalIds[3]`; the root is named by the part of the request it is. */
function nameOf(path: readonly PropertyKey[], part: string): string {
  const [first, ...rest] = path.map(String);
  return first === undefined ? part : first + rest.map((key) => `[${key}]`).join('');
}

/** What is wrong with data, as one readable line. `part` names the whole of it: `cols: Too big: expected number to be <=1000; rows: ...`. */
export function describeIssues(error: z.ZodError, part: string): string {
  const lines = error.issues
    .slice(0, MAX_LOOKED_AT)
    .map((issue) =>
      PROMISED.has(issue.message) ? issue.message : `${nameOf(issue.path, part)}: ${issue.message}`,
    );
  return [...new Set(lines.map((line) => line.slice(0, MAX_ISSUE_CHARS)))].slice(0, MAX_ISSUES).join('; ');
}
