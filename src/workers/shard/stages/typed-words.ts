/** Matches the input that a terminal sends for keys that are not text: CSI, SS3, string sequences, and a key with Alt. */
const SEQUENCES =
  /\x1b(?:\[[\x30-\x3f]*[\x20-\x2f]*[\x40-\x7e]|O[\x20-\x7e]|[\]PX^_][^\x07\x1b\x9c]*(?:\x07|\x1b\\|\x9c)|[\x20-\x7e])/g;

/** Matches a paste of several lines. Programs fold such pastes on the screen, and no secret has several lines. */
const PASTED_LINES = /\x1b\[200~[^\x1b]*[\r\n][^\x1b]*\x1b\[201~/g;

/** Least characters of a word that identifies a text; shorter words occur on any screen. */
const TELLING_CHARS = 3;

const NO_TEXT = /[\s\x00-\x1f\x7f-\x9f]+/;

/**
 * Returns the words that show whether a terminal has shown the typed texts: the words of at least TELLING_CHARS, or all
 * words if no word is so long.
 */
export function tellingWords(texts: readonly string[]): string[] {
  // A lone surrogate is typed as U+FFFD.
  const words = Buffer.from(texts.join(''))
    .toString()
    .replace(PASTED_LINES, ' ')
    .replace(SEQUENCES, ' ')
    .split(NO_TEXT)
    .filter((word) => word !== '');
  const telling = words.filter((word) => [...word].length >= TELLING_CHARS);
  return telling.length > 0 ? telling : words;
}

/** Returns whether the texts are at most one key. Programs take a single key as a command more often than they show it. */
export function isOneKey(texts: readonly string[]): boolean {
  return [...texts.join('').replace(SEQUENCES, '').replace(NO_TEXT, '')].length <= 1;
}

/** Matches words for a secret, as programs use them to ask for one. */
const SECRET =
  /\b(?:pass(?:word|phrase|code|wd)|kennwort|passwort|pin|puk|token|secret|credential|(?:api|access|private|secret)[ -]?key|(?:verification|security|authentication|auth|one[ -]?time|2fa|mfa|otp|login|backup|recovery)[ -]?code|one[ -]?time|otp|2fa|mfa|cvv|cvc)s?\b/i;

/** Matches the end of a question, with characters after it that may mask the typed text. */
const QUESTION = /[:?>\]]\s*[*\u2022\u25cf\u00b7x_\s]*$/i;

/** Matches a prompt that does not say what it asks for, but shows that it hides the typed text. */
const HIDING = /^read> ?[\u25cf\u2022*]*$|[\u25cf\u2022]+$/;

/** Matches the prompt of a shell that does not report its prompts: `#`, `$`, `%`, or `>` after a path or a host. */
const SHELL_PROMPT = /[#$%]\s*$|[~/@][^:?]*>\s*$/;

/** Returns whether the text before the cursor asks for a secret. */
export function asksForSecret(line: string): boolean {
  if (HIDING.test(line.trim())) return true;
  return SECRET.test(line) && QUESTION.test(line) && !SHELL_PROMPT.test(line);
}
