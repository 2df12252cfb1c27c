/** Errors of watches; part of the catalogue. */
export const WATCH_ERRORS = {
  'watch-not-found': {
    status: 404,
    message: 'Watch not found',
    fix: 'GET /api/watches lists the watches',
  },
  'too-many-watches': {
    status: 409,
    message: 'There are too many watches',
    fix: 'Delete a watch first',
  },
} as const;
