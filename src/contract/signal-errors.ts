/** Errors of signals; part of the catalogue. */
export const SIGNAL_ERRORS = {
  'unknown-signal': { status: 400, message: 'Unknown signal' },
  'no-foreground-job': {
    status: 409,
    message: 'No job runs in the foreground of this terminal',
    fix: 'Start a command first; DELETE /api/terminals/{id} ends the shell itself',
  },
} as const;
