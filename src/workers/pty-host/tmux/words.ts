const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const DIGIT_0 = 0x30;

/** Length of one byte written as `\ooo`. */
const OCTAL_BYTES = 4;

/**
 * Characters that no version of tmux gives a meaning inside double quotes. All others are written in octal: `~`, `$`
 * and `\` are expanded there, a line feed ends the command, and tmux takes a raw 0xff for the end of its input.
 */
const PLAIN = plainBytes('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789 +,-./:=@_');

/**
 * Returns one word of a tmux command line, in quotes: the command gets exactly these bytes. A string stands for its
 * UTF-8.
 *
 * A word that begins with `-` is still an option to the command, unless it follows `--`. Throws for a NUL, which a tmux
 * command cannot hold.
 */
export function quoted(word: string | Uint8Array): string {
  const bytes = typeof word === 'string' ? Buffer.from(word, 'utf8') : word;
  const written = Buffer.allocUnsafe(bytes.length * OCTAL_BYTES + 2);
  let to = 0;
  written[to++] = QUOTE;
  for (const byte of bytes) {
    if (PLAIN[byte] === 1) {
      written[to++] = byte;
      continue;
    }
    if (byte === 0) throw new Error('a word of a tmux command cannot hold a NUL');
    written[to++] = BACKSLASH;
    written[to++] = DIGIT_0 + (byte >> 6);
    written[to++] = DIGIT_0 + ((byte >> 3) & 7);
    written[to++] = DIGIT_0 + (byte & 7);
  }
  written[to++] = QUOTE;
  return written.toString('latin1', 0, to);
}

/**
 * Returns a word in quotes, as `quoted` does, that its command expands as a format (`-c` and `-s` of `new-session`, for
 * example): `#` means itself. Not for formats that are also expanded as times (`display-message`), where `%` has a
 * meaning.
 */
export function formatQuoted(word: string | Uint8Array): string {
  const bytes = typeof word === 'string' ? Buffer.from(word, 'utf8') : Buffer.from(word);
  // `##` means `#`, except before `[`, where any number of `#` opens a style and stays unchanged.
  const literal = bytes
    .toString('latin1')
    .replace(/#+\[?/g, (run) => run.replaceAll('#', '##').replace('[', '#{l:[}'));
  return quoted(Buffer.from(literal, 'latin1'));
}

function plainBytes(characters: string): Uint8Array {
  const table = new Uint8Array(256);
  for (const byte of Buffer.from(characters, 'latin1')) table[byte] = 1;
  return table;
}
