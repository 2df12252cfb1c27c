import type { Found, SecretFinder } from './secret-finder.js';

/** A secret in shown text. */
export interface ShownSecret extends Found {
  /** The secret as the screen shows it; absent if the text has it word for word. */
  secret?: string | undefined;
}

/** Moves the cursor back: Backspace as line editors print it, and as it is typed. */
const BACK = /[\b\x7f]/;

/** Begins a line, in which no Backspace goes back beyond it. */
const LINE = /[\r\n]/;

/**
 * Adds the secrets that only the screen shows as one text, since a person has corrected them with Backspace. Such a
 * secret takes the place of other secrets that were found in its first and last version.
 *
 * @param from - place of the text where secrets begin at the earliest
 */
export function withOvertyped(
  finder: SecretFinder,
  text: string,
  from: number,
  found: readonly ShownSecret[],
): readonly ShownSecret[] {
  if (!BACK.test(text)) return found;
  const places = placesOnScreen(text);
  const screen = places.map((place) => text[place]).join('');
  const overtyped = finder.find(screen).flatMap(({ start, end, kind }): ShownSecret[] => {
    const own = places.slice(start, end);
    const span = { start: Math.min(...own), end: Math.max(...own) + 1 };
    const isPlain = !BACK.test(text.slice(span.start, span.end));
    return kind === undefined || span.start < from || isPlain
      ? []
      : [{ ...span, kind, secret: screen.slice(start, end) }];
  });
  return merged([...found, ...overtyped].sort((a, b) => a.start - b.start));
}

/** Returns the secrets without overlaps: a corrected secret takes in the others that it overlaps. */
function merged(sorted: readonly ShownSecret[]): ShownSecret[] {
  const result: ShownSecret[] = [];
  for (const each of sorted) {
    const last = result.at(-1);
    if (last === undefined || last.end <= each.start) {
      result.push(each);
      continue;
    }
    const { kind, secret } = last.secret === undefined ? each : last;
    result[result.length - 1] = { start: last.start, end: Math.max(last.end, each.end), kind, secret };
  }
  return result;
}

/** Returns the places of the characters that are left once Backspace has moved the cursor back over others. */
function placesOnScreen(text: string): number[] {
  const places: number[] = [];
  let cursor = 0;
  let lineStart = 0;
  for (let at = 0; at < text.length; at++) {
    const char = text[at]!;
    if (BACK.test(char)) {
      cursor = Math.max(lineStart, cursor - 1);
    } else if (LINE.test(char)) {
      cursor = lineStart = places.push(at);
    } else {
      places[cursor++] = at;
    }
  }
  return places;
}
