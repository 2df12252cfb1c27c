import { errorOf } from '../client/index.js';
import { ERRORS } from '../contract/error-catalogue.js';
import { EXIT, exitCodeOf } from './exit-codes.js';

/** Status of a failure whose code is not in the catalogue, as of a newer service. */
const UNKNOWN = 500;

/** Returns the exit code for a result within an answer, as if the request had failed with its error. */
export function exitCodeFor({ code, error = '' }: { code?: string; error?: string }): number {
  if (code === undefined) return EXIT.failed;
  const known: Record<string, { status: number }> = ERRORS;
  const status = Object.hasOwn(known, code) ? known[code]?.status : undefined;
  return exitCodeOf(errorOf({ status: status ?? UNKNOWN, code, message: error, details: {} }));
}
