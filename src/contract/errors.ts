/**
 * Every error a client can meet, in one place: code, default message and HTTP status.
 *
 * Throw a {@link DomainError} where the fault is. Each transport has one mapper to its own wire form; no
 * route catches to answer.
 */
export const ERRORS = {
  'terminal-not-found': { status: 404, message: 'Terminal not found' },
  'command-not-found': { status: 404, message: 'Command not found' },
  'profile-not-found': { status: 404, message: 'Profile not found' },
  'custom-profile-not-found': { status: 404, message: 'Custom profile not found' },
  'too-many-profiles': { status: 409, message: 'There are too many custom profiles; delete one first' },
  'pane-not-found': { status: 404, message: 'Pane not found' },
  'connection-not-found': { status: 404, message: 'Connection not found' },
  'too-many-connections': { status: 409, message: 'There are too many connections; delete one first' },
  'process-not-found': { status: 404, message: 'Process not found' },
  'peering-not-installed': { status: 501, message: 'peering not installed' },
  'no-match': { status: 404, message: 'no match' },
  'ambiguous-target': { status: 409, message: 'ambiguous target' },
  'recording-not-found': { status: 404, message: 'Recording not found' },
  'recording-not-active': { status: 404, message: 'Recording not found or not active' },
  'already-recorded': { status: 409, message: 'Terminal is already being recorded' },
  'unsupported-format': { status: 400, message: 'Unsupported format' },
  'invalid-request': { status: 400, message: 'Invalid request' },
  'invalid-cursor': { status: 400, message: 'Invalid cursor' },
  'prompt-empty': { status: 400, message: 'Prompt must be a non-empty string' },
  'unknown-cli-type': { status: 400, message: 'Unknown CLI type' },
  'custom-pattern-missing': { status: 400, message: 'customPattern is required when cliType is custom' },
  'command-incomplete': {
    status: 400,
    message: 'The command is not complete: its shell waits for more of it',
  },
  'unknown-key': { status: 400, message: 'Unknown key' },
  'key-reused': {
    status: 422,
    message: 'This Idempotency-Key was used for a request with another body',
  },
  'other-instance': { status: 421, message: 'Another instance of the service answers here' },
  'client-gone': { status: 499, message: 'The client has gone' },
  'input-buffer-full': { status: 429, message: 'Input buffer full' },
  'tmux-unavailable': { status: 501, message: 'Terminals cannot live in tmux here' },
  'resized-meanwhile': { status: 409, message: 'Another request has resized the terminal meanwhile' },
  'spawn-failed': { status: 500, message: 'Terminal could not be started' },
  'upgrade-required': { status: 426, message: 'This is a WebSocket: connect with an upgrade request' },
  'no-websocket-here': { status: 400, message: 'There is no WebSocket here; it is at /ws' },
  'config-file-broken': {
    status: 409,
    message: 'The config file cannot be read as JSON any more; mend it first',
  },
  'port-taken': { status: 409, message: 'Port is taken' },
  'token-not-settable': {
    status: 400,
    message: 'network.authToken: cannot be set; POST /api/settings/token/rotate makes another',
  },
  forbidden: { status: 403, message: 'Forbidden' },
  'shutting-down': { status: 503, message: 'Service is shutting down' },
  'outcome-unknown': {
    status: 503,
    message: 'The pty host did not answer: whether it was done is not known. It is not done from now on',
  },
  unavailable: { status: 503, message: 'Temporarily unavailable' },
  'storage-full': { status: 507, message: 'The disk is full: nothing was stored' },
  'search-not-cleared': { status: 500, message: 'Search index could not be cleared' },
} as const satisfies Record<string, { status: number; message: string }>;

export type ErrorCode = keyof typeof ERRORS;

interface DomainErrorOptions extends ErrorOptions {
  /** More that the client reads, beside `error`. */
  details?: Record<string, unknown>;
}

/** A fault with a name: `code` picks the status, `message` is what the client reads. */
export class DomainError extends Error {
  readonly code: ErrorCode;
  readonly details: Record<string, unknown>;

  constructor(code: ErrorCode, message: string = ERRORS[code].message, options: DomainErrorOptions = {}) {
    super(message, options);
    this.name = 'DomainError';
    this.code = code;
    this.details = options.details ?? {};
  }

  get status(): number {
    return ERRORS[this.code].status;
  }
}
