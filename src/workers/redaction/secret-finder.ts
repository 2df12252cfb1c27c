import { MAX_FORM_SECRET_CHARS, MIN_CUT_SECRET_CHARS } from '../../contract/limits.js';
import type { RedactSettings } from '../../contract/redaction/redact-settings.js';
import type { LiteralHit } from './form-index.js';
import { type KnownValue, KnownValues, type Span } from './known-values.js';
import { matchForm } from './secret-form.js';
import { SecretForms } from './secret-forms.js';
import { SecretHash } from './secret-hash.js';

/** Data needed to find the secrets of one terminal; plain data, for other threads. */
export interface RedactionPlan {
  /** The key of this installation. */
  key: Uint8Array;
  settings: RedactSettings;
  /** Values of this terminal's variables. */
  known: readonly KnownValue[];
}

/** A secret in a text; without a kind, the marker that an earlier redaction has put in the place of a secret. */
export interface Found extends Span {
  kind?: string;
}

/** Characters before a place that decide whether a secret may begin there. */
export const CONTEXT_CHARS = 2;

/** Characters after the beginning of a secret that decide its kind: two forms may overlap, and a name may come first. */
export const DECIDED_BY_CHARS = 2 * MAX_FORM_SECRET_CHARS;

/** Replaces characters of secrets and markers that are already found; no form matches it. */
const TAKEN = '\0';

/** Marker of an earlier redaction, which stays as it is. */
const MARKER = /\[redacted:\w[\w-]*:(?:[0-9a-f]{8}|cut)\]/g;

/**
 * Finds secrets in text: known values of variables, then tokens of known forms, then secrets recognised by a name
 * beside them. Text without secrets costs a look at each pair of characters, and a second look if values are known.
 */
export class SecretFinder {
  readonly #hash: SecretHash;
  readonly #forms: SecretForms;
  readonly #known: KnownValues;

  /** @param known - values of the variables of the terminal whose text is searched */
  constructor(hash: SecretHash, forms: SecretForms, known: readonly KnownValue[]) {
    this.#hash = hash;
    this.#forms = forms;
    this.#known = new KnownValues(hash, known);
  }

  static of({ key, settings, known }: RedactionPlan): SecretFinder {
    return new SecretFinder(new SecretHash(key), new SecretForms(settings), known);
  }

  /** Returns the secrets in a text from `from` on, and the markers of earlier redactions among them, in order. */
  find(text: string, from = 0): Found[] {
    const hits = this.#forms.index.hits(text, from);
    if (hits.length === 0 && this.#known.isEmpty) return [];
    const markers: Found[] = [...text.matchAll(MARKER)]
      .map(({ index, 0: { length } }) => ({ start: index, end: index + length }))
      .filter(({ start }) => start >= from);
    const unmarked = masked(text, markers);
    const values: Found[] = this.#known
      .find(unmarked, from)
      .filter(({ start, end }) => !this.#forms.isAllowed(text.slice(start, end)));
    const withoutValues = masked(unmarked, values);
    const tokens = this.#match(withoutValues, hits, true);
    const others = this.#match(masked(withoutValues, tokens), hits, false);
    return [...markers, ...values, ...tokens, ...others].sort((a, b) => a.start - b.start);
  }

  /** Returns the text with each secret replaced. */
  redact(text: string): string {
    return replaced(text, this.find(text), (found) => this.markerOf(text, found));
  }

  /** Returns the text that replaces a found secret. */
  markerOf(text: string, { start, end, kind }: Found): string {
    const secret = text.slice(start, end);
    return kind === undefined ? secret : this.#hash.marker(kind, secret);
  }

  /**
   * Returns the secret that has begun at the end of a text and seems to continue after it.
   *
   * @param least - characters that must follow the beginning of its form
   */
  cut(text: string, least = MIN_CUT_SECRET_CHARS): (Span & { kind: string }) | undefined {
    for (const { at, forms } of this.#forms.index.hits(
      text,
      Math.max(0, text.length - MAX_FORM_SECRET_CHARS),
    )) {
      for (const form of forms) {
        const match = matchForm(form, text, at);
        if (!match || 'end' in match) continue;
        const known = match.secretStart === at ? form.literal.length : 0;
        const isLong = text.length - match.secretStart - known >= least;
        if (isLong) return { start: match.secretStart, end: text.length, kind: form.kind };
      }
    }
    return undefined;
  }

  #match(text: string, hits: readonly LiteralHit[], isToken: boolean): Found[] {
    const found: Found[] = [];
    let end = 0;
    for (const { at, forms } of hits) {
      if (at < end) continue;
      for (const form of forms) {
        if (this.#forms.isToken(form) !== isToken) continue;
        const match = matchForm(form, text, at);
        if (!match || !('end' in match)) continue;
        end = match.end;
        const { secretStart: start, secretEnd } = match;
        const secret = text.slice(start, secretEnd);
        // Skips a match that contains a part of an earlier one, since it overlaps or only wraps that secret.
        if (!secret.includes(TAKEN) && !this.#forms.isAllowed(secret))
          found.push({ start, end: secretEnd, kind: form.kind });
        break;
      }
    }
    return found;
  }
}

/** Returns a text of the same length, with the spans replaced by characters that no form matches. */
export function masked(text: string, spans: readonly Span[]): string {
  return replaced(text, spans, ({ start, end }) => TAKEN.repeat(end - start));
}

/** Returns the text with each span replaced. The spans must be in order and must not overlap. */
export function replaced<Each extends Span>(
  text: string,
  spans: readonly Each[],
  by: (span: Each) => string,
): string {
  if (spans.length === 0) return text;
  let result = '';
  let at = 0;
  for (const span of spans) {
    result += text.slice(at, span.start) + by(span);
    at = span.end;
  }
  return result + text.slice(at);
}
