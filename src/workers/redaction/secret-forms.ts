import type { RedactSettings } from '../../contract/redaction/redact-settings.js';
import { parsePattern } from '../../contract/redaction/secret-pattern.js';
import { FormIndex } from './form-index.js';
import { builtInForms, formOf } from './known-forms.js';
import { matchesWhole, type SecretForm } from './secret-form.js';

/** The forms of secrets, built-in and from the settings, and the texts that the settings allow. */
export class SecretForms {
  readonly index: FormIndex;
  readonly #tokens: ReadonlySet<SecretForm>;
  readonly #allowed: ReadonlySet<string>;
  readonly #allowedForms: readonly SecretForm[];

  /** Throws if a pattern of the settings is invalid; the config refuses such settings. */
  constructor({ patterns, allow }: RedactSettings) {
    const { tokens, besideNames } = builtInForms();
    const own = Object.entries(patterns).map(([kind, pattern]) => formOf(kind, pattern));
    this.#tokens = new Set([...own, ...tokens]);
    this.index = new FormIndex([...own, ...tokens, ...besideNames]);
    this.#allowed = new Set(allow.filter((each) => typeof each === 'string'));
    this.#allowedForms = allow.flatMap((each) =>
      typeof each === 'string' ? [] : [allowedForm(each.pattern)],
    );
  }

  /** Returns whether a form recognises a secret by itself, and not by a name beside it. */
  isToken(form: SecretForm): boolean {
    return this.#tokens.has(form);
  }

  isAllowed(secret: string): boolean {
    return this.#allowed.has(secret) || this.#allowedForms.some((form) => matchesWhole(form, secret));
  }
}

function allowedForm(pattern: string): SecretForm {
  return { kind: 'allowed', isWithinWords: true, ...parsePattern(pattern, { minLiteral: 0 }) };
}
