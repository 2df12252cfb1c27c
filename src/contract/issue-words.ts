import type { z } from 'zod';

type Issue = z.core.$ZodIssue;

/** Beginnings of zod's own messages. A schema that gives a message of its own says it in words already. */
const OWN_MESSAGE = /^(Too small|Too big|Invalid [a-zA-Z]+)/;

/** Returns what is wrong, in words for people. zod's own words (`>=1`, `"a"|"b"`) are made for programmers. */
export function wordsOfIssue(issue: Issue): string {
  return OWN_MESSAGE.test(issue.message) ? (wordsOf(issue) ?? issue.message) : issue.message;
}

/** Returns undefined where zod's words do. */
function wordsOf(issue: Issue): string | undefined {
  switch (issue.code) {
    case 'invalid_type':
      return wordsOfType(issue);
    case 'too_small':
      return wordsOfLeast(issue);
    case 'too_big':
      return wordsOfMost(issue);
    case 'invalid_value':
      return `Invalid option: use ${listOf(issue.values)}`;
    case 'invalid_union':
      return 'options' in issue && issue.options
        ? `Invalid option: use ${listOf(issue.options as readonly z.core.util.Primitive[])}`
        : undefined;
    case 'invalid_format':
      return issue.format === 'datetime' ? 'must be a time such as 2026-01-31T09:00:00Z' : undefined;
    default:
      return undefined;
  }
}

function wordsOfType({ expected, message }: z.core.$ZodIssueInvalidType): string | undefined {
  if (message.endsWith('received undefined')) return 'is missing';
  if (expected === 'int') return 'must be a whole number';
  return message.endsWith('received NaN') ? 'must be a number' : undefined;
}

function wordsOfLeast({ origin, minimum, inclusive }: z.core.$ZodIssueTooSmall): string {
  const isCount = origin === 'string' || origin === 'array';
  if (isCount && minimum === 1) return 'must not be empty';
  const head = origin === 'string' ? 'Too short' : origin === 'array' ? 'Too few' : 'Too small';
  return `${head}: ${inclusive ? 'at least' : 'more than'} ${minimum}${unitOf(origin)}`;
}

function wordsOfMost({ origin, maximum, inclusive }: z.core.$ZodIssueTooBig): string {
  const head = origin === 'string' ? 'Too long' : origin === 'array' ? 'Too many' : 'Too big';
  return `${head}: ${inclusive ? 'at most' : 'less than'} ${maximum}${unitOf(origin)}`;
}

function unitOf(origin: string): string {
  return origin === 'string' ? ' characters' : origin === 'array' ? ' entries' : '';
}

/** `"a", "b" or "c"`. */
function listOf(values: readonly z.core.util.Primitive[]): string {
  const shown = values.map((value) => (typeof value === 'string' ? JSON.stringify(value) : String(value)));
  const last = shown.at(-1);
  return shown.length < 2 ? `${last}` : `${shown.slice(0, -1).join(', ')} or ${last}`;
}
