/** Every error that a client can get: code, default message, HTTP status, and what to do about it. */
export const ERRORS = {
  'terminal-not-found': {
    status: 404,
    message: 'Terminal not found',
    fix: 'GET /api/terminals?status=all lists the terminals',
  },
  'command-not-found': {
    status: 404,
    message: 'Command not found',
    fix: 'GET /api/terminals/{id}/commands lists those that are kept',
  },
  'run-not-found': { status: 404, message: 'Run not found', fix: 'GET /api/runs lists the runs of 24 h' },
  'profile-not-found': { status: 404, message: 'Profile not found', fix: 'GET /api/profiles lists them' },
  'custom-profile-not-found': {
    status: 404,
    message: 'Custom profile not found',
    fix: 'Only profiles with `is_custom: true` can be changed; GET /api/profiles lists them',
  },
  'too-many-profiles': { status: 409, message: 'There are too many custom profiles; delete one first' },
  'pane-not-found': { status: 404, message: 'Pane not found', fix: 'GET /api/layout shows the panes' },
  'connection-not-found': {
    status: 404,
    message: 'Connection not found',
    fix: 'GET /api/canvas/graph lists the connections',
  },
  'too-many-connections': { status: 409, message: 'There are too many connections; delete one first' },
  'process-not-found': {
    status: 404,
    message: 'Process not found',
    fix: "GET /api/processes lists what runs; the id is the terminal's",
  },
  'peering-not-installed': {
    status: 501,
    message: 'peering not installed',
    fix: 'Leave machineId and targetOS out, or use machineId "self"',
  },
  'no-match': { status: 404, message: 'no match', fix: '`machines` lists those that there are' },
  'ambiguous-target': {
    status: 409,
    message: 'ambiguous target',
    fix: 'Name one of `candidates` by machineId',
  },
  'recording-not-found': {
    status: 404,
    message: 'Recording not found',
    fix: 'GET /api/recordings lists them',
  },
  'recording-not-active': {
    status: 404,
    message: 'Recording not found or not active',
    fix: 'GET /api/recordings lists them',
  },
  'already-recorded': {
    status: 409,
    message: 'Terminal is already being recorded',
    fix: 'Stop its recording first; GET /api/recordings lists them',
  },
  'unsupported-format': {
    status: 400,
    message: 'Unsupported format',
    fix: 'Use json, text, html or asciicast',
  },
  'invalid-request': { status: 400, message: 'Invalid request' },
  'invalid-cursor': {
    status: 400,
    message: 'Invalid cursor',
    fix: 'Send a cursor of an earlier answer about the same terminal, or none',
  },
  'prompt-empty': { status: 400, message: 'Prompt must be a non-empty string' },
  'unknown-cli-type': { status: 400, message: 'Unknown CLI type' },
  'custom-pattern-missing': { status: 400, message: 'customPattern is required when cliType is custom' },
  'command-incomplete': {
    status: 400,
    message: 'The command is not complete: its shell waits for more of it',
    fix: 'Close its quotes and brackets',
  },
  'line-editor-busy': {
    status: 409,
    message: "The shell's line editor takes no command now; nothing was run",
    fix: 'Leave the search, or finish or clear the half-typed line, and send it again',
  },
  'unknown-key': { status: 400, message: 'Unknown key' },
  'key-reused': {
    status: 422,
    message: 'This Idempotency-Key was used for a request with another body',
    fix: 'Send another key for another request',
  },
  'other-instance': {
    status: 421,
    message: 'Another instance of the service answers here',
    fix: 'GET /health names it; look whether what you did is still there',
  },
  'client-gone': { status: 499, message: 'The client has gone' },
  'input-buffer-full': {
    status: 429,
    message: 'Input buffer full',
    fix: 'Send less than 1 MiB at once, and try again once the program in the terminal reads its input',
  },
  'tmux-unavailable': {
    status: 501,
    message: 'Terminals cannot live in tmux here',
    fix: 'Install tmux and restart the service, or leave backend out',
  },
  'resized-meanwhile': {
    status: 409,
    message: 'Another request has resized the terminal meanwhile',
    fix: 'Try again',
  },
  'spawn-failed': { status: 500, message: 'Terminal could not be started' },
  'upgrade-required': {
    status: 426,
    message: 'This is a WebSocket: connect with an upgrade request',
    fix: 'Use a WebSocket client',
  },
  'no-websocket-here': {
    status: 400,
    message: 'There is no WebSocket here; it is at /ws',
    fix: 'Connect to /ws',
  },
  'malformed-message': { status: 400, message: 'Malformed message: a JSON object is expected' },
  'config-file-broken': {
    status: 409,
    message: 'The config file cannot be read as JSON any more; mend it first',
  },
  'config-file-not-written': {
    status: 500,
    message: 'The config file cannot be written; nothing has changed',
    fix: 'Let the service write the file and its folder, and make room on its disk',
  },
  'port-taken': {
    status: 409,
    message: 'Port is taken',
    fix: 'Stop what has it, or choose another: --port, --mcp-port, --dashboard-port or the settings (0: any free port)',
  },
  'token-not-settable': {
    status: 400,
    message: 'network.authToken: cannot be set; POST /api/settings/token/rotate makes another',
  },
  forbidden: { status: 403, message: 'Forbidden' },
  'shutting-down': {
    status: 503,
    message: 'Service is shutting down',
    fix: 'Try again once it has been started anew',
  },
  'outcome-unknown': {
    status: 503,
    message: 'The pty host did not answer: whether it was done is not known. It is not done from now on',
    fix: 'Look at the terminal before you repeat it; a request with an Idempotency-Key may be sent again',
  },
  unavailable: { status: 503, message: 'Temporarily unavailable', fix: 'Try again' },
  'storage-full': {
    status: 507,
    message: 'The disk is full: nothing was stored',
    fix: 'Make room on it',
  },
  'search-not-cleared': { status: 500, message: 'Search index could not be cleared' },
  internal: {
    status: 500,
    message: 'Internal error',
    fix: 'The log of the service says why, under the x-request-id',
  },
  // Errors of the requests themselves.
  unauthorized: {
    status: 401,
    message: 'unauthorized',
    fix: 'Send the setting network.authToken as "Authorization: Bearer <token>", on a WebSocket upgrade as ?token=',
  },
  'not-exposed': {
    status: 403,
    message: 'The service is not exposed to other machines',
    fix: 'The setting network.expose admits other machines',
  },
  'other-user': {
    status: 403,
    message:
      'Only the user that the service runs as is served on this machine; the setting network.localUsers admits others',
  },
  'host-not-one': {
    status: 400,
    message: 'A request needs exactly one Host header',
    fix: 'Send the name and port that you connect to as Host, once',
  },
  'host-not-allowed': {
    status: 403,
    message: 'Host is not allowed',
    fix: 'Connect to 127.0.0.1 or localhost',
  },
  'origin-not-allowed': {
    status: 403,
    message: 'Origin is not allowed; the setting network.allowedOrigins lists others',
  },
  'form-not-allowed': {
    status: 403,
    message: 'Send the body as JSON, with the header "Content-Type: application/json"',
  },
  'not-json': {
    status: 415,
    message: 'Send the body as JSON, with the header "Content-Type: application/json"',
  },
  'unsupported-charset': { status: 415, message: 'Send the body in UTF-8', fix: 'Leave charset out' },
  'unsupported-encoding': {
    status: 415,
    message: 'Send the body as it is, without Content-Encoding',
    fix: 'Leave Content-Encoding out, and compress nothing',
  },
  'invalid-utf8': { status: 400, message: 'The body is not valid UTF-8' },
  'invalid-json': { status: 400, message: 'The body is not valid JSON' },
  'bad-request': { status: 400, message: 'Bad Request' },
  'request-timeout': {
    status: 408,
    message: 'Request Timeout',
    fix: 'Send the whole request within a minute',
  },
  'body-too-large': { status: 413, message: 'The body is larger than 8 MiB', fix: 'Send less at once' },
  'headers-too-large': {
    status: 431,
    message: 'Request Header Fields Too Large',
    fix: 'Send less than 16 KiB of headers, the URL among them',
  },
  'not-found': { status: 404, message: 'Not found', fix: 'GET /openapi.json lists the routes' },
  'method-not-allowed': {
    status: 405,
    message: 'Method not allowed',
    fix: 'Use a method that the header Allow names',
  },
} as const satisfies Record<string, { status: number; message: string; fix?: string }>;
