/** Errors of the dashboard's login; part of the catalogue. */
export const SESSION_ERRORS = {
  'too-many-tries': {
    status: 429,
    message: 'Too many wrong tokens',
    fix: 'Try again after the seconds that the header Retry-After gives',
  },
} as const;
