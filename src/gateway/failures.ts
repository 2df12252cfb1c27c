import { z } from 'zod';
import { OverLimit } from '../contract/admission.js';
import { ERRORS, type ErrorCode } from '../contract/errors.js';

/** The body of every failure. */
export const ErrorBody = z
  .object({
    error: z.string().describe('What is wrong'),
    code: z.string().describe('The kind of failure, for programs; later versions may add kinds'),
    fix: z.string().optional().describe('What to do about it, if known'),
  })
  .meta({ id: 'Error' });

/**
 * Returns the failures of a route for its `schema.response`, by status: `...failures('profile-not-found')`. Failures
 * that any route may answer (see openapi/common-failures.ts) are documented once, for all routes.
 */
export function failures(...codes: ErrorCode[]): Record<number, z.ZodType> {
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of codes) {
    const { status } = ERRORS[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  return Object.fromEntries(
    [...byStatus].map(([status, own]) => {
      const texts = own.map((code) => `${ERRORS[code].message} (\`${code}\`)`);
      return [status, failureBody(texts.join('; or '), own)];
    }),
  );
}

/** Returns the body of a failure whose codes are `codes`; the document shows an example of each. */
export function failureBody(description: string, codes: readonly ErrorCode[]): z.ZodType {
  return ErrorBody.meta({ description, codes });
}

/** Returns the body of a 429 whose codes are over-limit and `others`. */
export function overLimitFailure(...others: ErrorCode[]): z.ZodType {
  const body = ErrorBody.extend(OverLimit.shape);
  const codes: ErrorCode[] = ['over-limit', ...others];
  const texts = codes.map((code) => `${ERRORS[code].message} (\`${code}\`)`);
  const description = texts.join('; or ');
  return (others.length > 0 ? z.union([body, ErrorBody]) : body).meta({ description, codes });
}
