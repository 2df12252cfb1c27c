import { z } from 'zod';
import {
  MAX_LABEL_CHARS,
  MAX_NAMED_SECRETS,
  MAX_REDACT_ALLOWED,
  MAX_REDACT_PATTERNS,
  MAX_REDACT_TEXT_CHARS,
  MIN_KNOWN_SECRET_CHARS,
} from '../limits.js';
import { parsePattern } from './secret-pattern.js';

/** Name of a kind of secret, as it appears in the text that replaces such a secret. */
const kind = z.string().regex(/^[a-z0-9][a-z0-9-]{0,39}$/, 'must be lower case letters, digits and hyphens');

function patternText(minLiteral?: number) {
  return z
    .string()
    .min(1)
    .max(MAX_REDACT_TEXT_CHARS)
    .superRefine((text, context) => {
      try {
        parsePattern(text, { minLiteral });
      } catch (error) {
        context.addIssue({ code: 'custom', message: (error as Error).message });
      }
    });
}

const Allowed = z.union([
  z.string().min(1).max(MAX_REDACT_TEXT_CHARS),
  z.object({ pattern: patternText(0) }),
]);

/** The section `redact`: further forms of secrets, and texts that do not count as secrets. */
export const redactSettings = {
  patterns: z
    .record(kind, patternText())
    .refine(
      (table) => Object.keys(table).length <= MAX_REDACT_PATTERNS,
      `has more than ${MAX_REDACT_PATTERNS} patterns`,
    )
    .describe('Forms of secrets besides the built-in ones, by the kind that replaces them'),
  allow: z
    .array(Allowed)
    .max(MAX_REDACT_ALLOWED)
    .describe('Texts that are no secrets: exactly this text, or all that matches `pattern` as a whole'),
};

export const RedactSettings = z.object(redactSettings);
export type RedactSettings = z.infer<typeof RedactSettings>;

/** `patterns` in a PATCH, where null removes a pattern. */
export const RedactPatternsPatch = z.record(z.string(), z.string().nullable());

/** `secrets` of a request that creates a terminal. */
export const NamedSecrets = z
  .array(z.string().min(1).max(MAX_LABEL_CHARS))
  .max(MAX_NAMED_SECRETS)
  .describe(
    "Names of variables of the program's environment whose values are secrets, besides those whose names say so, " +
      `such as \`*_TOKEN\`; values of at least ${MIN_KNOWN_SECRET_CHARS} characters are recognised`,
  );
