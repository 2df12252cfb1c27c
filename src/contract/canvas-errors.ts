/** Errors of the canvas; part of the catalogue. */
export const CANVAS_ERRORS = {
  'connection-not-found': {
    status: 404,
    message: 'Connection not found',
    fix: 'GET /api/canvas/graph lists the connections',
  },
  'too-many-connections': {
    status: 409,
    message: 'There are too many connections',
    fix: 'Delete a connection first',
  },
  'group-not-found': {
    status: 404,
    message: 'Group not found',
    fix: 'GET /api/canvas/graph lists the groups',
  },
  'too-many-groups': {
    status: 409,
    message: 'There are too many groups',
    fix: 'Delete a group first',
  },
} as const;
