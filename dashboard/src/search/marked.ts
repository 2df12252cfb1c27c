/** A stretch of text, and whether it matches. */
interface Stretch {
  text: string;
  isMatch: boolean;
}

/** A line of a document, and its number there. */
export interface MarkedLine {
  at: number;
  stretches: readonly Stretch[];
}

/** Lines of a hit that are shown. */
const MAX_LINES = 5;
/** Most characters of a line that are shown; a longer line is cut to the part around its first match. */
const MAX_CHARS = 400;
const BEFORE_MATCH = 80;

/**
 * Returns the first lines of a document that match, cut into matching and other stretches. The service counts matches
 * in characters of Unicode, not in the units of a string here.
 */
export function markedLines(
  content: string,
  matches: ReadonlyArray<readonly [start: number, end: number]>,
): MarkedLine[] {
  const lines: MarkedLine[] = [];
  let start = 0;
  for (const [at, text] of content.split('\n').entries()) {
    const characters = [...text];
    const end = start + characters.length;
    const inLine = matches
      .filter(([from, to]) => from < end && to > start)
      .map(([from, to]) => [Math.max(0, from - start), Math.min(characters.length, to - start)] as const);
    if (inLine.length > 0) lines.push({ at, stretches: stretchesOf(characters, inLine) });
    if (lines.length === MAX_LINES) break;
    start = end + 1;
  }
  return lines;
}

function stretchesOf(
  characters: readonly string[],
  matches: ReadonlyArray<readonly [number, number]>,
): Stretch[] {
  const isLong = characters.length > MAX_CHARS;
  const first = isLong ? Math.max(0, matches[0]![0] - BEFORE_MATCH) : 0;
  const last = Math.min(characters.length, first + MAX_CHARS);
  const stretches: Stretch[] = [];
  const add = (from: number, to: number, isMatch: boolean) => {
    const text = characters.slice(Math.max(from, first), Math.min(to, last)).join('');
    if (text !== '') stretches.push({ text, isMatch });
  };
  let at = 0;
  for (const [from, to] of matches) {
    add(at, from, false);
    add(from, to, true);
    at = to;
  }
  add(at, characters.length, false);
  if (first > 0) stretches.unshift({ text: '…', isMatch: false });
  if (last < characters.length) stretches.push({ text: '…', isMatch: false });
  return stretches;
}
