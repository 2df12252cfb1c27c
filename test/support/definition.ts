import type { Definition } from '#dist/command/service/definition.js';

/** The service to install, for a user named me. */
export const DEFINITION: Definition = {
  node: '/usr/bin/node',
  cli: '/usr/lib/node_modules/auto-terminal/bundle/src/cli.js',
  hostEntry: '/usr/lib/node_modules/auto-terminal/bundle/src/workers/pty-host/main.js',
  paths: {
    dataFolder: '/home/me/.local/share/auto-terminal',
    hostSocket: '/home/me/.local/share/auto-terminal/run/pty-host.sock',
  },
  home: '/home/me',
  configHome: '/home/me/.config',
  env: { PATH: '/home/me/bin:/usr/bin', LANG: 'C.UTF-8' },
};
