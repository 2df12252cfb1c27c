import { MAX_SEARCH_MATCHES, SEARCH_CONTEXT_CHARS } from '../../../contract/limits.js';
import type { SearchHit } from '../../../contract/search.js';

/** The score of every hit: hits are ordered by time, not by score. */
const SCORE = 1;

/** A match in a string, in UTF-16 units. */
interface Match {
  start: number;
  end: number;
}

/**
 * Returns the hit for a document that contains the query.
 *
 * @param folded - the document's case-folded content
 * @param query - case-folded
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

/** Returns the occurrences from the left that do not overlap, MAX_SEARCH_MATCHES at most. */
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

/** Returns the matches as `[start, end)` in code points. They must be in order. */
function inCharacters(content: string, matches: readonly Match[]): Array<[number, number]> {
  let unit = 0;
  let character = 0;
  const characterAt = (target: number) => {
    for (; unit < target; character++) unit += (content.codePointAt(unit) ?? 0) > 0xffff ? 2 : 1;
    return character;
  };
  return matches.map(({ start, end }) => [characterAt(start), characterAt(end)]);
}

/** Returns a match with SEARCH_CONTEXT_CHARS on each side. Slices twice as many units: a character has at most two. */
function contextOf(content: string, { start, end }: Match): string {
  const units = 2 * SEARCH_CONTEXT_CHARS;
  const before = [...content.slice(Math.max(0, start - units), start)].slice(-SEARCH_CONTEXT_CHARS);
  const after = [...content.slice(end, end + units)].slice(0, SEARCH_CONTEXT_CHARS);
  return before.join('') + content.slice(start, end) + after.join('');
}
