/** Words of characters that have no special meaning in any shell. At the beginning of a word, zsh expands `=`, and fish `%`. */
const PLAIN = /^[\w@+:,./-][\w@%+=:,./-]*$/;

/**
 * Returns the command line of a shell: one word is a line as it is, several are words of a command, quoted where the
 * shell would change them.
 */
export function shellLine(words: readonly string[]): string {
  // After another argument, Commander leaves the `--` that ends the options among the words.
  const given = words[0] === '--' ? words.slice(1) : words;
  const [line = '', ...others] = given;
  return others.length === 0 ? line : given.map(quoted).join(' ');
}

/** Quotes a word for bash, zsh and fish. In single quotes, fish takes a backslash for an escape, and the others do not. */
function quoted(word: string): string {
  return PLAIN.test(word) ? word : `'${word.replace(/['\\]/g, "'\\$&'")}'`;
}
