interface FailureOptions extends ErrorOptions {
  fix?: string | undefined;
}

/** Any failure that this client reports. `code` is the kind of failure, for programs; `fix` says what to do about it. */
export class AutoTerminalError extends Error {
  readonly code: string;
  readonly fix: string | undefined;

  constructor(code: string, message: string, { fix, ...options }: FailureOptions = {}) {
    super(message, options);
    this.name = new.target.name;
    this.code = code;
    this.fix = fix;
  }
}

/** No service listens there, or none could be found. The request had no effect. */
export class NoServiceError extends AutoTerminalError {
  constructor(message: string, options: FailureOptions = {}) {
    super('no-service', message, { fix: 'Start it: auto-terminal serve', ...options });
  }
}

/** The connection broke before the answer had come whole: it is unknown whether the request took effect. */
export class DisconnectedError extends AutoTerminalError {
  constructor(message: string, options: FailureOptions = {}) {
    super('disconnected', message, options);
  }
}

/** The client was closed: a call in progress may have taken effect or not. */
export class ClosedError extends AutoTerminalError {
  constructor() {
    super('closed', 'The client was closed');
  }
}

/** Another program than the service answers, or something between changes its answers. */
export class NotUnderstoodError extends AutoTerminalError {
  constructor(found: string, options: FailureOptions = {}) {
    const fix = 'Check the URL, and that both have the same version';
    super('not-understood', `The answer was not understood: ${found}`, { fix, ...options });
  }
}

/** The awaited event did not happen in time. */
export class TimedOutError extends AutoTerminalError {
  constructor(message: string, options: FailureOptions = {}) {
    super('timed-out', message, options);
  }
}

/** Output came faster than it was read, and is gone: nobody knows how much. The command goes on. */
export class MissingOutputError extends AutoTerminalError {
  constructor() {
    super('output-missing', 'Output is missing: it came too fast', { fix: 'Pass onGap to go on' });
  }
}

/** The answer of the service to a request that it did not carry out. */
export interface Refusal {
  /** Status of the answer; 200 where a route reports a failure in the body of a success. */
  status: number;
  code: string;
  message: string;
  fix?: string | undefined;
  /** All fields of the body. */
  details: Record<string, unknown>;
  /** Names the request in the log of the service. */
  requestId?: string | undefined;
  /** Milliseconds after which the service asks to try again. */
  retryAfterMs?: number | undefined;
}

/** The service refused a request. */
export class ApiError extends AutoTerminalError {
  readonly status: number;
  readonly details: Record<string, unknown>;
  readonly requestId: string | undefined;
  readonly retryAfterMs: number | undefined;

  constructor({ status, code, message, fix, details, requestId, retryAfterMs }: Refusal) {
    super(code, message, { fix });
    this.status = status;
    this.details = details;
    this.requestId = requestId;
    this.retryAfterMs = retryAfterMs;
  }
}

/** There is no such terminal, run, recording, profile, or other thing. */
export class NotFoundError extends ApiError {}

/** The caller may not do this: status 401 or 403. */
export class DeniedError extends ApiError {}

/** The request contradicts the present state, or an earlier request with the same key: status 409, 422 or 423. */
export class ConflictError extends ApiError {}

/** The service cannot do this now: status 429 or 503. */
export class BusyError extends ApiError {}

/** Returns the error for a refusal, of the class for its status. */
export function errorOf(refusal: Refusal): ApiError {
  const { status, code } = refusal;
  if (status === 404 || code.endsWith('-not-found')) return new NotFoundError(refusal);
  if (status === 401 || status === 403) return new DeniedError(refusal);
  if (status === 409 || status === 422 || status === 423) return new ConflictError(refusal);
  if (status === 429 || status === 503) return new BusyError(refusal);
  return new ApiError(refusal);
}
