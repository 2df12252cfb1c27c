/** Errors of the WebSocket and its commands; part of the catalogue. */
export const STREAM_ERRORS = {
  'upgrade-required': {
    status: 426,
    message: 'This is a WebSocket: connect with an upgrade request',
    fix: 'Use a WebSocket client',
  },
  'no-websocket-here': { status: 400, message: 'There is no WebSocket at this path', fix: 'Connect to /ws' },
  'malformed-message': { status: 400, message: 'Malformed message: a JSON object is expected' },
  'not-watched': {
    status: 409,
    message: 'The client does not watch the output of this terminal',
    fix: 'Watch it first, by the action stream:watch; output=0 in the query turns output off',
  },
  'terminals-not-named': {
    status: 400,
    message: 'The terminals of another machine are watched by their ids',
    fix: 'Name them: terminals=term_1,term_2 in the query, or in the action stream:watch',
  },
  'not-across': {
    status: 400,
    message: 'The live stream of another machine has output and the events of watched terminals only',
    fix: 'Leave out events=all, activity=1 and screens=1; GET /api/machines/{machineId}/events has all events',
  },
  'no-screens': {
    status: 409,
    message: 'The client takes no screens',
    fix: 'Connect with screens=1 in the query',
  },
  'screen-not-watched': {
    status: 409,
    message: 'The client does not watch the screen of this terminal',
    fix: 'Watch it first, by the action screens:watch',
  },
  'output-gone': {
    status: 410,
    message: 'Output is missing that is no longer kept',
    fix: 'Read from now on (from=now), or create the terminal with hold: true to read from its first byte',
  },
  'client-not-found': {
    status: 404,
    message: 'Client not found',
    fix: 'GET /api/terminals/{id}/clients lists the clients that are attached',
  },
  'not-attached': {
    status: 409,
    message: 'The client is not attached to this terminal',
    fix: 'Attach first, by the action terminal:attach',
  },
  'read-only-client': {
    status: 403,
    message: 'The client is attached to this terminal read-only',
    fix: 'Attach again without readOnly',
  },
} as const;
