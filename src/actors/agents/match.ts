/** A row without the frame around it, for rules: as it is, and in lower case. */
export interface RuleText {
  text: string;
  folded: string;
}

export type Matcher = (text: RuleText) => boolean;

/** Returns a text in both forms, so that rules can ignore its case. */
export function ruleText(text: string): RuleText {
  return { text, folded: text.toLowerCase() };
}

/**
 * Returns a function that tests whether a text contains the pattern: a regular expression, or a string in which `*` is
 * any text and case does not matter. A string with wildcards takes time in proportion to the text that is searched.
 */
export function matcherOf(pattern: string | RegExp): Matcher {
  if (typeof pattern !== 'string') return ({ text }) => pattern.test(text);
  const parts = pattern
    .toLowerCase()
    .split('*')
    .filter((part) => part !== '');
  return ({ folded }) => {
    let from = 0;
    // For each part, the first place after the previous part is enough: if later parts occur at all, they occur after
    // that place.
    for (const part of parts) {
      const at = folded.indexOf(part, from);
      if (at < 0) return false;
      from = at + part.length;
    }
    return true;
  };
}
