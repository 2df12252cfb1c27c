import { codeIn, isAlphanumeric, type SecretPattern } from '../../contract/redaction/secret-pattern.js';

/** A form by which secrets are recognised. */
export interface SecretForm extends SecretPattern {
  kind: string;
  /** May begin and end within a word: its literal is a name or a sign beside the secret, not its beginning. */
  isWithinWords: boolean;
}

/** Where a form matched. */
export interface FormMatch {
  /** End of all that matched. */
  end: number;
  secretStart: number;
  secretEnd: number;
}

/** Where text ended before the form did: the secret that has begun there. */
export interface FormCut {
  secretStart: number;
}

/**
 * Matches a form from `start`, in one pass: the forms are such that a longest repetition is always the right one.
 * Returns the match, or where its secret begins if the text ends within it, or undefined.
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

/** Whether a form matches all of the text. */
export function matchesWhole(form: SecretForm, text: string): boolean {
  const match = matchForm(form, text, 0);
  return match !== undefined && 'end' in match && match.end === text.length;
}

/** Whether a word that begins at `at` is a part of another word. An escaped `\n` as in JSON is none. */
function isInWord(text: string, at: number): boolean {
  if (!isAlphanumeric(codeIn(text, at)) || at === 0 || !isAlphanumeric(codeIn(text, at - 1))) return false;
  return !(text[at - 2] === '\\' && 'nrt'.includes(text[at - 1]!));
}

/** Whether what stands after a match goes on with it, so that it is something longer of another form. */
function isContinued({ atoms, isWithinWords }: SecretForm, text: string, at: number): boolean {
  if (isWithinWords) return false;
  const last = atoms.at(-1)!;
  const code = codeIn(text, at);
  if (last.set.has(code) && last.max > 1) return true;
  return isAlphanumeric(code) && isAlphanumeric(codeIn(text, at - 1));
}
