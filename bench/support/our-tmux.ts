import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Terminal } from '../../src/contract/terminal.js';
import { childrenOf, hostPidOf } from '../../test/support/processes.js';
import type { Server } from './flood-sides.js';
import type { OurService } from './our-service.js';

/** Resolves with the service with terminals in tmux; its processes include the tmux server and that server's client. */
export async function inTmux({ url, api, home, pids }: OurService): Promise<Server> {
  // The first terminal in tmux starts the tmux server, and stays open so that the server stays.
  const request = { command: ['cat'], backend: 'tmux' };
  const { status, body } = await api.post<Terminal & { error?: string }>('/api/terminals', request);
  if (status !== 200 || body.attach === undefined)
    throw new Error(`creating a terminal in tmux was answered ${status}: ${body.error}`);
  const clients = childrenOf(hostPidOf(home)).map(({ pid }) => pid);
  return { url, pids: [...pids, ...clients, await serverOf(body.attach)], isExact: true, backend: 'tmux' };
}

/** Resolves with the pid of the tmux server that this attach command line joins. */
async function serverOf(attach: string): Promise<number> {
  const ask = attach.replace(/ attach .*/, " display-message -p '#{pid}'");
  const { TMUX: _server, TMUX_PANE: _pane, ...env } = process.env;
  const { stdout } = await promisify(execFile)('sh', ['-c', ask], { env });
  return Number(stdout);
}
