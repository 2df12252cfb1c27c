const SYNTAX = new Set('\\^$.*+?()[]{}|');
/** Characters that are themselves behind a backslash. An expression has no delimiters, so a plain `/` needs none. */
const ESCAPED = new Set([...SYNTAX, '/']);
/** Quantifiers after which a literal may be absent. */
const MAY_BE_ABSENT = new Set('*?{');

/**
 * Returns the longest run of plain characters that each match of a regular expression contains; empty if none is known.
 * Looks only at the text outside of groups and classes. The expression must be valid, with the flag `u`.
 */
export function literalOf(pattern: string): string {
  const runs: string[] = [];
  let run = '';
  const end = () => {
    runs.push(run);
    run = '';
  };
  for (let at = 0; at < pattern.length; ) {
    const char = String.fromCodePoint(pattern.codePointAt(at)!);
    if (char === '|') return '';
    if (char === '(' || char === '[') {
      end();
      at = char === '(' ? afterGroup(pattern, at) : afterClass(pattern, at);
      continue;
    }
    if (char === '{') {
      end();
      at = pattern.indexOf('}', at) + 1;
      continue;
    }
    const escaped = char === '\\' ? pattern[at + 1] : undefined;
    const plain = escaped === undefined ? (SYNTAX.has(char) ? undefined : char) : plainOf(escaped);
    at = escaped === undefined ? at + char.length : afterEscape(pattern, at);
    if (plain !== undefined && MAY_BE_ABSENT.has(pattern[at] ?? '')) end();
    else if (plain !== undefined && pattern[at] === '+') {
      run += plain;
      end();
    } else if (plain !== undefined) run += plain;
    else if (char !== '+') end();
  }
  end();
  return runs.reduce((longest, each) => (each.length > longest.length ? each : longest), '');
}

/** Returns the character that an escape means; undefined for a class or anything else. */
function plainOf(escaped: string): string | undefined {
  return ESCAPED.has(escaped) ? escaped : undefined;
}

/** Returns the index after an escape, with its braces or digits. */
function afterEscape(pattern: string, at: number): number {
  const [whole = ''] =
    /^\\(?:u\{[^}]*\}|u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|[pP]\{[^}]*\}|k<[^>]*>|c[A-Za-z]|\d+|[\s\S])/u.exec(
      pattern.slice(at),
    ) ?? [];
  return at + Math.max(whole.length, 1);
}

function afterClass(pattern: string, from: number): number {
  let at = from + 1;
  while (at < pattern.length && pattern[at] !== ']') at += pattern[at] === '\\' ? 2 : 1;
  return at + 1;
}

function afterGroup(pattern: string, from: number): number {
  let depth = 0;
  for (let at = from; at < pattern.length; ) {
    const char = pattern[at];
    if (char === '[') {
      at = afterClass(pattern, at);
      continue;
    }
    if (char === '(') depth++;
    if (char === ')' && --depth === 0) return at + 1;
    at += char === '\\' ? 2 : 1;
  }
  return pattern.length;
}
