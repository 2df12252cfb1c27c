import fc from 'fast-check';

/** Ordinary characters, and texts that have a meaning in unit files, shells or XML. */
const CHARACTERS = [
  ...['a', 'Z', '7', '-', '/', '.', '=', ',', ' ', '  ', '%', '%%', '%h', '$', '$$', '${', '}', '$HOME'],
  ...['"', "'", '\\', '\\n', '\\x41', '\t', '\n', '\r', '\x01', '\x7f', ';', '#', '@', ':', '!', '*', '~'],
  ...['&', '<', '>', ']]>', '&amp;', 'é', '漢', '🙂', '\u00a0', '\u200b', '\u2028'],
];

/** Words that are hard to quote, none of them empty. */
export const ODD_WORD = fc
  .array(fc.constantFrom(...CHARACTERS), { minLength: 1, maxLength: 12 })
  .map((parts) => parts.join(''));
