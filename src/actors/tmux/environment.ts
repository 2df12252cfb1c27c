import { resolve } from 'node:path';

/**
 * Returns the folder of tmux' sockets if the environment names one. A relative path counts from the root folder, in
 * which the pty host runs.
 */
function socketsFolder({ TMUX_TMPDIR: folder }: NodeJS.ProcessEnv): string | undefined {
  return folder ? resolve('/', folder) : undefined;
}

/**
 * Returns the environment in which the service calls tmux: with the socket folder of the pty host's tmux, and without
 * the variables that would make tmux ask the server in which the service itself may have been started.
 */
export function tmuxEnvironment(service: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const { TMUX: _server, TMUX_PANE: _pane, ...env } = service;
  const folder = socketsFolder(service);
  return { ...env, ...(folder !== undefined && { TMUX_TMPDIR: folder }), WSL_UTF8: '1' };
}

/**
 * Returns the command line, for any shell, by which a person joins a terminal. The target is quoted, since zsh would
 * look up an unquoted `=word`.
 */
export function attachLine(socketName: string, terminalId: string, service: NodeJS.ProcessEnv): string {
  const folder = socketsFolder(service);
  const before = folder === undefined ? '' : `env TMUX_TMPDIR=${quoted(folder)} `;
  return `${before}tmux -L ${socketName} attach -t '=${terminalId}'`;
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
