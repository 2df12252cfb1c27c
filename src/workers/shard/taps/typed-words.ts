/** What a terminal sends for keys that are no text: CSI, SS3, string sequences, and a key with Alt. */
const SEQUENCES =
  /\x1b(?:\[[\x30-\x3f]*[\x20-\x2f]*[\x40-\x7e]|O[\x20-\x7e]|[\]PX^_][^\x07\x1b\x9c]*(?:\x07|\x1b\\|\x9c)|[\x20-\x7e])/g;

/** A paste of several lines: programs fold these on the screen, and no secret is asked for in lines. */
const PASTED_LINES = /\x1b\[200~[^\x1b]*[\r\n][^\x1b]*\x1b\[201~/g;

/** Shorter words stand on any screen. */
const TELLING_CHARS = 3;

const NO_TEXT = /[\s\x00-\x1f\x7f-\x9f]+/;

/**
 * The words of typed texts by which it is known whether a terminal has shown them: those of some length, or where
 * there are none, all that is text in them.
 */
export function tellingWords(texts: readonly string[]): string[] {
  // What is no character is typed as U+FFFD.
  const words = Buffer.from(texts.join(''))
    .toString()
    .replace(PASTED_LINES, ' ')
    .replace(SEQUENCES, ' ')
    .split(NO_TEXT)
    .filter((word) => word !== '');
  const telling = words.filter((word) => [...word].length >= TELLING_CHARS);
  return telling.length > 0 ? telling : words;
}

/** Whether the texts are one key, which programs take as a command more often than they show it. */
export function isOneKey(texts: readonly string[]): boolean {
  return [...texts.join('').replace(SEQUENCES, '').replace(NO_TEXT, '')].length <= 1;
}

/** What a program calls a secret when it asks for one. */
const SECRET =
  /\b(?:pass(?:word|phrase|code|wd)|kennwort|passwort|pin|puk|token|secret|credential|(?:api|access|private|secret)[ -]?key|(?:verification|security|authentication|auth|one[ -]?time|2fa|mfa|otp|login|backup|recovery)[ -]?code|one[ -]?time|otp|2fa|mfa|cvv|cvc)s?\b/i;

/** It ends as a question does, with what may stand in place of what is typed behind it. */
const QUESTION = /[:?>\]]\s*[*\u2022\u25cf\u00b7x_\s]*$/i;

/** Or it is one of a prompt that says nothing of what it asks for, and shows that it hides what is typed. */
const HIDING = /^read> ?[\u25cf\u2022*]*$|[\u25cf\u2022]+$/;

/** What a shell's prompt looks like, where it does not tell of itself: a path or a host in front of its sign. */
const SHELL_PROMPT = /[#$%]\s*$|[~/@][^:?]*>\s*$/;

/** Whether what stands before the cursor asks for a secret. */
export function asksForSecret(line: string): boolean {
  if (HIDING.test(line.trim())) return true;
  return SECRET.test(line) && QUESTION.test(line) && !SHELL_PROMPT.test(line);
}
