import { z } from 'zod';
import { ERRORS, type ErrorCode } from '../contract/errors.js';

/** The body of every failure. */
export const ErrorBody = z
  .object({
    error: z.string().describe('What is wrong'),
    code: z.string().describe('The kind of failure, for programs; later versions may add kinds'),
    fix: z.string().optional().describe('What to do about it, where that is known'),
  })
  .meta({ id: 'Error' });

/**
 * The failures of a route for its `schema.response`, by status: `...failures('profile-not-found')`. Those that
 * any route may answer (400 of the validation, 401, 403, 413, 415, 500, 503) are documented for all at once.
 */
export function failures(...codes: ErrorCode[]): Record<number, z.ZodType> {
  const messages = new Map<number, string[]>();
  for (const code of codes) {
    const { status, message } = ERRORS[code];
    messages.set(status, [...(messages.get(status) ?? []), `${message} (\`${code}\`)`]);
  }
  return Object.fromEntries(
    [...messages].map(([status, texts]) => [status, ErrorBody.describe(texts.join('; or '))]),
  );
}
