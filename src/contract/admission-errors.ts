/** Errors of the admission of terminals; part of the catalogue. */
export const ADMISSION_ERRORS = {
  'over-limit': {
    status: 429,
    message: 'Over a limit of the service: no terminal was created',
    fix: 'Close a terminal, wait in line with `queueMs`, or raise the setting `limits`; GET /api/limits shows use and line',
  },
} as const;
