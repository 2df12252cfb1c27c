/** Position where a text stops being JSON; both numbers count from 1, columns in UTF-16 units. */
export interface JsonFault {
  line: number;
  column: number;
}

/** One token: a bracket, comma or colon, a string, or a scalar. */
const TOKEN =
  /(?:[{}[\],:]|(?<string>"(?:[^"\\\x00-\x1f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*")|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)/y;
const BLANKS = /[\t\n\r ]*/y;

type Expected = 'value' | 'value or ]' | 'key' | 'key or }' | ':' | ', or close' | 'end';

/** Returns what may follow a value: the end, or the next member of the innermost open array or object. */
function afterValue(open: readonly string[]): Expected {
  return open.length === 0 ? 'end' : ', or close';
}

/** Returns what may follow this token; undefined when the token is out of place. */
function step(token: string, isString: boolean, expected: Expected, open: string[]): Expected | undefined {
  const wantsValue = expected === 'value' || expected === 'value or ]';
  const wantsKey = expected === 'key' || expected === 'key or }';
  if (isString && wantsKey) return ':';
  if (token === ':') return expected === ':' ? 'value' : undefined;
  if (token === ',') {
    if (expected !== ', or close') return undefined;
    return open.at(-1) === '{' ? 'key' : 'value';
  }
  if (token === '{' || token === '[') {
    if (!wantsValue) return undefined;
    open.push(token);
    return token === '{' ? 'key or }' : 'value or ]';
  }
  if (token === '}' || token === ']') {
    const closable = expected === ', or close' || expected === (token === '}' ? 'key or }' : 'value or ]');
    if (!closable || open.pop() !== (token === '}' ? '{' : '[')) return undefined;
    return afterValue(open);
  }
  return wantsValue ? afterValue(open) : undefined;
}

/**
 * Returns the position of the first fault, or undefined when the text is JSON. `JSON.parse` of Node 20 gives no line.
 */
export function findJsonFault(text: string): JsonFault | undefined {
  const open: string[] = [];
  let expected: Expected = 'value';
  let at = 0;
  for (;;) {
    BLANKS.lastIndex = at;
    at += BLANKS.exec(text)?.[0].length ?? 0;
    if (at === text.length && expected === 'end') return undefined;
    TOKEN.lastIndex = at;
    const match = TOKEN.exec(text);
    const next: Expected | undefined = match
      ? step(match[0], match.groups?.string !== undefined, expected, open)
      : undefined;
    if (!match || !next) break;
    expected = next;
    at += match[0].length;
  }
  const before = text.slice(0, at).split('\n');
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
}
