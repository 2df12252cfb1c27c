/** Errors of changes of the settings; part of the catalogue. */
export const SETTINGS_ERRORS = {
  'config-file-broken': {
    status: 409,
    message: 'The config file is no longer valid JSON',
    fix: 'Repair the config file first',
  },
  'config-file-not-written': {
    status: 500,
    message: 'The config file cannot be written; nothing has changed',
    fix: 'Let the service write the file and its folder, and make room on its disk',
  },
  'port-taken': {
    status: 409,
    message: 'Port is taken',
    fix: 'Stop the program that uses it, or choose another port: --port, --mcp-port, --dashboard-port or the settings (0: any free port)',
  },
  'token-not-settable': {
    status: 400,
    message: 'network.authToken: cannot be set',
    fix: 'POST /api/settings/token/rotate makes a new token',
  },
} as const;
