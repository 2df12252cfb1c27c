import { ERRORS } from './error-catalogue.js';

export { ERRORS };

export type ErrorCode = keyof typeof ERRORS;

interface DomainErrorOptions extends ErrorOptions {
  /** More that the client reads, beside `error`. */
  details?: Record<string, unknown>;
  /** What the client can do about it, where the catalogue's words are not the best. */
  fix?: string | undefined;
}

/**
 * A fault with a name. Throw it where the fault is: each transport has one mapper to its own wire form, and no route
 * catches to answer. `code` picks the status, `message` is what the client reads.
 */
export class DomainError extends Error {
  readonly code: ErrorCode;
  readonly details: Record<string, unknown>;
  readonly fix: string | undefined;

  constructor(code: ErrorCode, message: string = ERRORS[code].message, options: DomainErrorOptions = {}) {
    super(message, options);
    this.name = 'DomainError';
    this.code = code;
    this.details = options.details ?? {};
    this.fix = options.fix ?? fixOf(code);
  }

  get status(): number {
    return ERRORS[this.code].status;
  }
}

/** What a client can do about it, as the catalogue says it. */
function fixOf(code: ErrorCode): string | undefined {
  const entry: { status: number; fix?: string } = ERRORS[code];
  return entry.fix;
}
