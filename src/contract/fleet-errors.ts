/** Errors of the fleet over machines; part of the catalogue. */
export const FLEET_ERRORS = {
  'no-nats-server': {
    status: 501,
    message: 'No nats-server is installed on this machine',
    fix: 'Install it, on Debian by `apt install nats-server`, or name the program in the setting fleet.serverPath',
  },
  'fleet-failed': { status: 503, message: 'The hub of the fleet could not be started' },
  'in-fleet': {
    status: 409,
    message: 'This machine is in a fleet already',
    fix: 'To leave it: auto-terminal fleet leave',
  },
  'no-fleet': {
    status: 409,
    message: 'This machine is in no fleet',
    fix: 'POST /api/fleet/init makes it a hub, and POST /api/fleet/join has it join one',
  },
  'not-hub': { status: 409, message: 'Only the hub of the fleet can do that', fix: 'Ask there' },
  'invite-invalid': {
    status: 400,
    message: 'The code is no invitation',
    fix: 'Copy the whole code that the hub has printed',
  },
  'invite-refused': {
    status: 403,
    message: 'The hub refuses this invitation: it is used, over its time or tries, or another hub answers',
    fix: 'POST /api/fleet/invites at the hub makes another',
  },
  'too-many-invites': {
    status: 409,
    message: 'There are too many invitations',
    fix: 'They end by themselves',
  },
  'hub-unreachable': {
    status: 503,
    message: 'The hub cannot be reached',
    fix: 'Check the address in the invitation, and that nothing on the way refuses its port',
  },
  'request-not-found': {
    status: 404,
    message: 'No machine asks to join under this id',
    fix: 'GET /api/fleet/requests lists what waits for an answer',
  },
  'machine-not-found': {
    status: 404,
    message: 'Machine not found',
    fix: 'GET /api/fleet/machines lists the machines',
  },
  'grant-not-found': {
    status: 404,
    message: 'Grant not found',
    fix: 'GET /api/fleet/grants lists the grants',
  },
  'too-many-grants': { status: 409, message: 'There are too many grants', fix: 'Delete a grant first' },
  'not-granted': {
    status: 403,
    message: 'not granted',
    fix: 'A person at that machine can grant it: auto-terminal fleet grant',
  },
  'machine-unreachable': {
    status: 503,
    message: 'machine unreachable',
    fix: 'Try again once it is online; GET /api/fleet/machines says when it was last seen',
  },
  'fleet-outcome-unknown': {
    status: 503,
    message: 'The machine was lost before it answered, so it is unknown whether the request took effect',
    fix: 'Check the terminal before you repeat the request; with an Idempotency-Key, you can repeat it safely',
  },
  'fleet-protocol': {
    status: 501,
    message: 'The other machine speaks another version of the protocol',
    fix: 'Update the older of the two',
  },
  'fleet-refused': {
    status: 403,
    message: 'The other machine did not accept the request as one of this machine',
    fix: 'Check that the clocks of both machines agree within five minutes',
  },
} as const;
