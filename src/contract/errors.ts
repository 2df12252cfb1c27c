import { ERRORS } from './error-catalogue.js';

export { ERRORS };

export type ErrorCode = keyof typeof ERRORS;

interface DomainErrorOptions extends ErrorOptions {
  /** Fields that the answer to the client has besides `error`. */
  details?: Record<string, unknown>;
  /** Advice to the client, in place of the catalogue's `fix`. */
  fix?: string | undefined;
}

/**
 * An error of the catalogue. Throw it where the fault occurs: each transport maps it to its own wire form in one place,
 * and no route catches it to answer. `code` selects the status; the client reads `message`.
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

/** Returns the catalogue's advice for a client. */
function fixOf(code: ErrorCode): string | undefined {
  const entry: { status: number; fix?: string } = ERRORS[code];
  return entry.fix;
}
