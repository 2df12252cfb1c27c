import { codeIn, isAlphanumeric, type SecretPattern } from '../../contract/redaction/secret-pattern.js';

/** A form by which secrets are recognised. */
export interface SecretForm extends SecretPattern {
  kind: string;
  /** Whether it may begin and end within a word: its literal is a name or a sign beside the secret, not its beginning. */
  isWithinWords: boolean;
}

/** Place where a form matched. */
export interface FormMatch {
  /** End of the whole match. */
  end: number;
  secretStart: number;
  secretEnd: number;
}

/** A secret that has begun where the text ends before the form does. */
export interface FormCut {
  secretStart: number;
}

/**
 * Matches a form from `start`, in one pass: for these forms the longest repetition is always right. Returns the match;
 * if the text ends within its secret, the beginning of that secret; else undefined.
 */
export function matchForm(form: SecretForm, text: string, start: number): FormMatch | FormCut | undefined {
  if (!form.isWithinWords && isInWord(text, start)) return undefined;
  const { atoms, secret } = form;
  let at = start;
  let secretStart = start;
  let secretEnd = 0;
  for (const [index, { set, min, max }] of atoms.entries()) {
    if (index === secret.first) secretStart = at;
    let count = 0;
    while (count < max && at < text.length && set.has(codeIn(text, at))) {
      at++;
      count++;
    }
    if (count < min) {
      const isCut = at === text.length && index >= secret.first;
      return isCut ? { secretStart } : undefined;
    }
    if (index === secret.end - 1) secretEnd = at;
  }
  if (at < text.length && isContinued(form, text, at)) return undefined;
  return { end: at, secretStart, secretEnd };
}

/** Returns whether a form matches all of the text. */
export function matchesWhole(form: SecretForm, text: string): boolean {
  const match = matchForm(form, text, 0);
  return match !== undefined && 'end' in match && match.end === text.length;
}

/**
 * Returns whether the word that begins at `at` continues a word before it. An escaped `\n`, as in JSON, does not count
 * as a word.
 */
function isInWord(text: string, at: number): boolean {
  if (!isAlphanumeric(codeIn(text, at)) || at === 0 || !isAlphanumeric(codeIn(text, at - 1))) return false;
  return !(text[at - 2] === '\\' && 'nrt'.includes(text[at - 1]!));
}

/** Returns whether the text after a match continues it, so that the whole is something longer of another form. */
function isContinued({ atoms, isWithinWords }: SecretForm, text: string, at: number): boolean {
  if (isWithinWords) return false;
  const last = atoms.at(-1)!;
  const code = codeIn(text, at);
  if (last.set.has(code) && last.max > 1) return true;
  return isAlphanumeric(code) && isAlphanumeric(codeIn(text, at - 1));
}
