import type { TmuxAttachCalls } from '../peers/tmux-attach.js';
import { TmuxControl } from '../peers/tmux-control.js';
import { TmuxServer } from '../peers/tmux-server.js';
import type { Cleanup } from './cleanup.js';
import { closeTerminals, createTerminals } from './create-terminals.js';
import type { StreamClient } from './flood-sides.js';
import { startOurs } from './our-service.js';
import type { Peer } from './peer-calls.js';
import { upgradeRequest } from './raw-socket.js';
import { REDRAW_SIZE } from './redraw.js';
import { openWindows } from './tmux-windows.js';

/** Client that watches: none, a client that sees one terminal, or a client that gets the output of all terminals. */
export type Watch = 'none' | 'one' | 'all';

/** A client that watches. */
interface Watcher {
  /** Resolves with the number of bytes that the client has received. */
  received(): Promise<number>;
  close(): Promise<unknown>;
}

/** A server of terminals that redraw. */
export interface AgentSide {
  /** Processes whose CPU and memory count. */
  pids: readonly number[];
  /** Runs the program in new terminals. Resolves with their ids. */
  create(count: number, command: string[]): Promise<string[]>;
  close(ids: readonly string[]): Promise<void>;
  /** Resolves with the text of a terminal's screen; empty while the server does not return it. */
  screen(id: string): Promise<string>;
  /** Connects a client: to the one terminal, or to all. */
  watch(what: 'one' | 'all', id: string): Promise<Watcher>;
}

/** Starts our service; its programs get the same nice value as programs in tmux. */
export async function oursOfAgents(cleanup: Cleanup, client: StreamClient): Promise<AgentSide> {
  const { url, api, pids } = await startOurs(cleanup);
  await api.patch('/api/settings', { terminals: { nice: 0 } });
  return {
    pids,
    create: async (count, command) =>
      (await createTerminals(url, count, () => ({ command, ...REDRAW_SIZE }))).ids,
    close: (ids) => closeTerminals(url, ids),
    screen: async (id) => {
      const { body } = await api.get<{ raw?: string }>(
        `/api/terminals/${id}/output?lines=${REDRAW_SIZE.rows}`,
      );
      return body.raw ?? '';
    },
    watch: async (what, id) => {
      const port = Number(new URL(url).port);
      const request = upgradeRequest(port, what === 'one' ? `/ws?terminals=${id}` : '/ws?events=lifecycle');
      await client.call('open', { port, request, ready: '"welcome"', end: 'never printed', keep: 0 });
      return { received: () => client.call('received'), close: () => client.call('close') };
    },
  };
}

/** Starts a tmux server. The client that sees one terminal is a person's; the client for all is in control mode. */
export async function tmuxOfAgents(
  cleanup: Cleanup,
  client: StreamClient,
  person: Peer<TmuxAttachCalls>,
): Promise<AgentSide> {
  const server = await cleanup.own(TmuxServer.start('set -g status off\n'), (started) => started.stop());
  // An option of the session, since the size that the session was started with overrides a global option.
  await server.run(['set-option', 'default-size', `${REDRAW_SIZE.cols}x${REDRAW_SIZE.rows}`]);
  /** Sends commands by a client that detaches afterwards, so that the client does not watch. */
  const control = async <T>(work: (control: TmuxControl) => Promise<T>): Promise<T> => {
    const attached = await cleanup.own(TmuxControl.attach(server), (client) => client.detach());
    return work(attached).finally(() => attached.detach());
  };
  return {
    pids: [server.pid],
    create: async (count, command) => {
      const commands = Array.from({ length: count }, () => `exec ${command.join(' ')}`);
      const panes = await control((attached) => openWindows(attached, commands));
      await checkSizes(server);
      return panes;
    },
    close: async (panes) => {
      await control((attached) => attached.run(panes.map((pane) => `kill-pane -t ${pane}`)));
    },
    screen: (pane) => server.run(['capture-pane', '-p', '-t', pane]),
    watch: async (what, pane) => {
      if (what === 'all') {
        const attach = [...server.args, '-C', 'attach-session'];
        await client.call('run', 'tmux', attach, server.env, 'never printed', 0);
        return { received: () => client.call('received'), close: () => client.call('close') };
      }
      await server.run(['select-window', '-t', pane]);
      await person.call('attach', server.args, server.env, REDRAW_SIZE);
      return { received: () => person.call('received'), close: () => person.call('detach') };
    },
  };
}

/** Throws if a window of the programs has another size. */
async function checkSizes(server: TmuxServer): Promise<void> {
  const { cols, rows } = REDRAW_SIZE;
  const sizes = await server.run(['list-windows', '-F', '#{window_index} #{window_width}x#{window_height}']);
  // The first window is the session's own.
  const wrong = sizes
    .split('\n')
    .slice(1)
    .filter((line) => !line.endsWith(` ${cols}x${rows}`));
  if (wrong.length > 0)
    throw new Error(`windows of tmux are not ${cols}x${rows}: ${wrong.slice(0, 3).join(', ')}`);
}
