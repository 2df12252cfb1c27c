/** Characters that no shell gives a meaning. */
const PLAIN = /^[\w@%+=:,./-]+$/;

/**
 * Returns the command line of a shell: one word is a line as it is, several are words of a command, quoted where the
 * shell would change them.
 */
export function shellLine(words: readonly string[]): string {
  // Behind another argument, the mark that ends the options is left among the words.
  const given = words[0] === '--' ? words.slice(1) : words;
  const [line = '', ...others] = given;
  return others.length === 0 ? line : given.map(quoted).join(' ');
}

function quoted(word: string): string {
  return PLAIN.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
