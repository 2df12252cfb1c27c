import { MAX_SEARCH_MATCHES, SEARCH_CONTEXT_CHARS } from '../../../contract/limits.js';
import type { SearchHit } from '../../../contract/search.js';

/** Every score is the same (SPEC.md, Search). */
const SCORE = 1;

/** Places in a string: UTF-16 units. */
interface Match {
  start: number;
  end: number;
}

/**
 * The hit of a document that holds the query.
 *
 * @param folded - the document's content, folded
 * @param query - folded
 */
export function hitOf(document: SearchHit['document'], folded: string, query: string): SearchHit {
  const found = matchesIn(folded, query);
  return {
    document,
    score: SCORE,
    matches: inCharacters(document.content, found),
    context: found[0] ? contextOf(document.content, found[0]) : '',
  };
}

/** The occurrences that do not overlap, from the left, as many as a hit names. */
function matchesIn(folded: string, query: string): Match[] {
  const matches: Match[] = [];
  let start = folded.indexOf(query);
  while (start !== -1 && matches.length < MAX_SEARCH_MATCHES) {
    const end = start + query.length;
    matches.push({ start, end });
    start = folded.indexOf(query, end);
  }
  return matches;
}

/** The matches, in their order, as `[start, end)` in code points. */
function inCharacters(content: string, matches: readonly Match[]): Array<[number, number]> {
  let unit = 0;
  let character = 0;
  const characterAt = (target: number) => {
    for (; unit < target; character++) unit += (content.codePointAt(unit) ?? 0) > 0xffff ? 2 : 1;
    return character;
  };
  return matches.map(({ start, end }) => [characterAt(start), characterAt(end)]);
}

/** A match and what stands around it. A character is at most two units, and those cut in half are left out. */
function contextOf(content: string, { start, end }: Match): string {
  const units = 2 * SEARCH_CONTEXT_CHARS;
  const before = [...content.slice(Math.max(0, start - units), start)].slice(-SEARCH_CONTEXT_CHARS);
  const after = [...content.slice(end, end + units)].slice(0, SEARCH_CONTEXT_CHARS);
  return before.join('') + content.slice(start, end) + after.join('');
}
