import { ACCESS_ERRORS } from './access-errors.js';
import { ADMISSION_ERRORS } from './admission-errors.js';
import { AUDIT_ERRORS } from './audit-errors.js';
import { CANVAS_ERRORS } from './canvas-errors.js';
import { FLEET_ERRORS } from './fleet-errors.js';
import { INPUT_ERRORS } from './input-errors.js';
import { PROMPT_ERRORS } from './prompt-errors.js';
import { SESSION_ERRORS } from './session-errors.js';
import { SETTINGS_ERRORS } from './settings-errors.js';
import { SIGNAL_ERRORS } from './signal-errors.js';
import { STREAM_ERRORS } from './stream-errors.js';
import { WATCH_ERRORS } from './watch-errors.js';
import { WEBHOOK_ERRORS } from './webhook-errors.js';

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
    fix: 'GET /api/terminals/{id}/commands lists the commands that are kept',
  },
  'run-not-found': {
    status: 404,
    message: 'Run not found',
    fix: 'GET /api/runs lists the runs of the last 24 h',
  },
  'profile-not-found': {
    status: 404,
    message: 'Profile not found',
    fix: 'GET /api/profiles lists the profiles',
  },
  'custom-profile-not-found': {
    status: 404,
    message: 'Custom profile not found',
    fix: 'Only profiles with `is_custom: true` can be changed; GET /api/profiles lists all profiles',
  },
  'too-many-profiles': {
    status: 409,
    message: 'There are too many custom profiles',
    fix: 'Delete a custom profile first',
  },
  'pane-not-found': { status: 404, message: 'Pane not found', fix: 'GET /api/layout shows the panes' },
  ...AUDIT_ERRORS,
  ...CANVAS_ERRORS,
  'process-not-found': {
    status: 404,
    message: 'Process not found',
    fix: 'GET /api/processes lists the processes by the ids of their terminals',
  },
  'peering-not-installed': {
    status: 501,
    message: 'peering not installed',
    fix: 'Omit machineId and targetOS, or use machineId "self"',
  },
  'no-match': { status: 404, message: 'no match', fix: '`machines` lists the machines that can be used' },
  'ambiguous-target': {
    status: 409,
    message: 'ambiguous target',
    fix: 'Send the machineId of one of `candidates`',
  },
  'recording-not-found': {
    status: 404,
    message: 'Recording not found',
    fix: 'GET /api/recordings lists the recordings',
  },
  'recording-not-active': {
    status: 404,
    message: 'Recording not found or not active',
    fix: 'GET /api/recordings/active lists the active recordings',
  },
  'already-recorded': {
    status: 409,
    message: 'Terminal is already being recorded',
    fix: 'Stop its recording first; GET /api/recordings/active lists the active recordings',
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
    fix: 'Send a cursor from an earlier answer about the same terminal, or omit it',
  },
  'prompt-empty': { status: 400, message: 'Prompt must be a non-empty string' },
  'unknown-cli-type': { status: 400, message: 'Unknown CLI type' },
  'custom-pattern-missing': { status: 400, message: 'customPattern is required when cliType is custom' },
  'command-incomplete': {
    status: 400,
    message: 'The command is incomplete: the shell expects more of it',
    fix: 'Close its quotes and brackets',
  },
  'line-editor-busy': {
    status: 409,
    message: "The shell's line editor cannot take a command now; nothing was run",
    fix: 'Leave the search, or finish or clear the half-typed line, then send the command again',
  },
  'unknown-key': { status: 400, message: 'Unknown key' },
  'key-reused': {
    status: 422,
    message: 'This Idempotency-Key was already used for a request with a different body',
    fix: 'Use a new key for each new request',
  },
  'other-instance': {
    status: 421,
    message: 'Another instance of the service answers here',
    fix: 'GET /health names the instance; check whether your terminals still exist',
  },
  'client-gone': { status: 499, message: 'The client closed the connection' },
  'input-buffer-full': {
    status: 429,
    message: 'Input buffer full',
    fix: 'Send less than 1 MiB at once, and try again once the program in the terminal reads its input',
  },
  'tmux-unavailable': {
    status: 501,
    message: 'tmux is unavailable',
    fix: 'Install tmux and restart the service, or omit backend',
  },
  'resized-meanwhile': {
    status: 409,
    message: 'Another request resized the terminal at the same time',
    fix: 'Try again',
  },
  'spawn-failed': { status: 500, message: 'Terminal could not be started' },
  ...ACCESS_ERRORS,
  ...ADMISSION_ERRORS,
  ...FLEET_ERRORS,
  ...INPUT_ERRORS,
  ...PROMPT_ERRORS,
  ...SESSION_ERRORS,
  ...SIGNAL_ERRORS,
  ...STREAM_ERRORS,
  ...WATCH_ERRORS,
  ...WEBHOOK_ERRORS,
  ...SETTINGS_ERRORS,
  forbidden: { status: 403, message: 'Forbidden' },
  'shutting-down': {
    status: 503,
    message: 'Service is shutting down',
    fix: 'Try again once the service has started again',
  },
  'outcome-unknown': {
    status: 503,
    message:
      'The pty host did not answer, so it is unknown whether the request took effect. It will not take effect later',
    fix: 'Check the terminal before you repeat the request; with an Idempotency-Key, you can repeat it safely',
  },
  unavailable: { status: 503, message: 'Temporarily unavailable', fix: 'Try again' },
  'storage-full': {
    status: 507,
    message: 'The disk is full: nothing was stored',
    fix: 'Free some disk space',
  },
  'search-not-cleared': { status: 500, message: 'Search index could not be cleared' },
  internal: {
    status: 500,
    message: 'Internal error',
    fix: 'The log of the service gives the cause, under the x-request-id of the answer',
  },
  // Errors of the requests themselves.
  unauthorized: {
    status: 401,
    message: 'unauthorized',
    fix: 'Send the setting network.authToken as the header "Authorization: Bearer <token>", or as ?token= on a WebSocket upgrade',
  },
  'not-exposed': {
    status: 403,
    message: 'The service is not exposed to other machines',
    fix: 'Turn on the setting network.expose to admit other machines',
  },
  'other-user': {
    status: 403,
    message: 'Only root and the user that the service runs as are served on this machine',
    fix: 'Set network.localUsers to "any" to admit other users',
  },
  'host-not-one': {
    status: 400,
    message: 'A request needs exactly one Host header',
    fix: 'Send one Host header with the name and port that you connect to',
  },
  'host-not-allowed': {
    status: 403,
    message: 'Host is not allowed',
    fix: 'Connect to 127.0.0.1 or localhost',
  },
  'origin-not-allowed': {
    status: 403,
    message: 'Origin is not allowed',
    fix: 'Add the origin to the setting network.allowedOrigins',
  },
  'form-not-allowed': {
    status: 403,
    message: 'The body is not declared as JSON',
    fix: 'Send JSON with the header "Content-Type: application/json"',
  },
  'not-json': {
    status: 415,
    message: 'The body is not declared as JSON',
    fix: 'Send JSON with the header "Content-Type: application/json"',
  },
  'unsupported-charset': {
    status: 415,
    message: 'The body is not declared as UTF-8',
    fix: 'Send UTF-8, and omit the charset',
  },
  'unsupported-encoding': {
    status: 415,
    message: 'Content-Encoding is not supported',
    fix: 'Send the body uncompressed, without Content-Encoding',
  },
  'invalid-utf8': { status: 400, message: 'The body is not valid UTF-8' },
  'invalid-json': {
    status: 400,
    message: 'The body is not valid JSON',
    fix: 'Check its syntax; an object with a key __proto__ is refused, too',
  },
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
    fix: 'Send less than 16 KiB of headers, including the URL',
  },
  'not-found': { status: 404, message: 'Not found', fix: 'GET /openapi.json lists the routes' },
  'method-not-allowed': {
    status: 405,
    message: 'Method not allowed',
    fix: 'Use a method listed in the header Allow',
  },
} as const satisfies Record<string, { status: number; message: string; fix?: string }>;
