/** Errors of the audit log; part of the catalogue. */
export const AUDIT_ERRORS = {
  'audit-unavailable': {
    status: 503,
    message: 'Refused: the audit log cannot be written',
    fix: 'See the log of the service for the reason, such as a full disk; or turn off the setting `audit.required`',
  },
} as const;
