import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Terminal } from '../../src/contract/terminal.js';
import { childrenOf, hostPidOf } from '../../test/support/processes.js';
import type { Server } from './flood-sides.js';
import type { OurService } from './our-service.js';

/** The service with terminals in tmux: of its processes are the tmux server then, and the client that reads from it. */
export async function inTmux({ url, api, home, pids }: OurService): Promise<Server> {
  // The server is there as soon as the first of them is, which stays.
  const request = { command: ['cat'], backend: 'tmux' };
  const { status, body } = await api.post<Terminal & { error?: string }>('/api/terminals', request);
  if (status !== 200 || body.attach === undefined)
    throw new Error(`a terminal in tmux was answered ${status}: ${body.error}`);
  const clients = childrenOf(hostPidOf(home)).map(({ pid }) => pid);
  return { url, pids: [...pids, ...clients, await serverOf(body.attach)], isExact: true, backend: 'tmux' };
}

/** The pid of the tmux server that this command line joins a terminal of. */
async function serverOf(attach: string): Promise<number> {
  const ask = attach.replace(/ attach .*/, " display-message -p '#{pid}'");
  const { TMUX: _server, TMUX_PANE: _pane, ...env } = process.env;
  const { stdout } = await promisify(execFile)('sh', ['-c', ask], { env });
  return Number(stdout);
}
