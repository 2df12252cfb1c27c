import { resolve } from 'node:path';

/** Folder of tmux' sockets where the environment names one; the pty host takes a relative path from the root, where it runs. */
function socketsFolder({ TMUX_TMPDIR: folder }: NodeJS.ProcessEnv): string | undefined {
  return folder ? resolve('/', folder) : undefined;
}

/**
 * The environment in which the service calls tmux: with the sockets that the pty host's tmux has, and without what
 * would have it ask the server that the service itself may have been started in.
 */
export function tmuxEnvironment(service: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const { TMUX: _server, TMUX_PANE: _pane, ...env } = service;
  const folder = socketsFolder(service);
  return { ...env, ...(folder !== undefined && { TMUX_TMPDIR: folder }), WSL_UTF8: '1' };
}

/** The command line, for any shell, by which a person joins a terminal. zsh would look up an `=word` that is not quoted. */
export function attachLine(socketName: string, terminalId: string, service: NodeJS.ProcessEnv): string {
  const folder = socketsFolder(service);
  const before = folder === undefined ? '' : `env TMUX_TMPDIR=${quoted(folder)} `;
  return `${before}tmux -L ${socketName} attach -t '=${terminalId}'`;
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
