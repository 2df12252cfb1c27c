/** A row as rules see it: without the frame around it, as it is and without capitals. */
export interface RuleText {
  text: string;
  folded: string;
}

export type Matcher = (text: RuleText) => boolean;

/** What a text says in capitals is the same. */
export function ruleText(text: string): RuleText {
  return { text, folded: text.toLowerCase() };
}

/**
 * Whether a text holds the pattern: a regular expression, or a text in which `*` is any text and capitals do not
 * matter. A text with wildcards takes time in proportion to what is searched.
 */
export function matcherOf(pattern: string | RegExp): Matcher {
  if (typeof pattern !== 'string') return ({ text }) => pattern.test(text);
  const parts = pattern
    .toLowerCase()
    .split('*')
    .filter((part) => part !== '');
  return ({ folded }) => {
    let from = 0;
    // Each part where it first comes after the one before: if the rest is anywhere, it is after that.
    for (const part of parts) {
      const at = folded.indexOf(part, from);
      if (at < 0) return false;
      from = at + part.length;
    }
    return true;
  };
}
