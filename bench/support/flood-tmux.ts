import { randomUUID } from 'node:crypto';
import type { TmuxServer } from '../peers/tmux-server.js';
import { meteredToRest } from './cpu.js';
import type { Flood } from './flood-input.js';
import { FLOOD_END, inTime, type Run, roomFor, runOf, type StreamClient, takenBy } from './flood-sides.js';

/** What tmux is set to, so that it keeps what the service keeps and draws nothing else. */
export const TMUX_CONFIGURATION = 'set -g status off\nset -g history-limit 1000\n';

/** After a flood. Three times, since tmux may cut a line of it in two where it cuts its messages. */
const END_LINES = `${FLOOD_END}\r\n`.repeat(3);
const PRINT_END = `printf '%s\\n' ${`'${FLOOD_END}' `.repeat(3)}`;

/** A window of tmux that nobody looks at. */
export async function unwatchedTmux(tmux: TmuxServer, { file, bytes }: Flood): Promise<Run> {
  const channel = `flood-${randomUUID()}`;
  await tmux.run(['set-hook', '-g', 'pane-exited', `wait-for -S ${channel}`]);
  const { seconds, cpu } = await meteredToRest([tmux.pid], async () => {
    await tmux.run(['new-window', '-d', 'cat', file]);
    await inTime(tmux.run(['wait-for', channel]));
  });
  return runOf(bytes, seconds, cpu);
}

/**
 * One client of tmux in control mode takes everything. The server's CPU counts, the client's does not. tmux drops what
 * it has not sent yet when a program ends: this one lives on until all has come.
 */
export async function controlledTmux(tmux: TmuxServer, flood: Flood, client: StreamClient): Promise<Run> {
  const attach = [...tmux.args, '-C', 'attach-session'];
  await client.call('run', 'tmux', attach, tmux.env, FLOOD_END, roomFor(flood.bytes));
  const program = `cat '${flood.file}'; ${PRINT_END}; exec sleep 1000`;
  const { run } = await takenBy(client, flood, {
    ...{ pids: [tmux.pid], encoding: 'tmux-control', tail: END_LINES },
    start: () => tmux.run(['new-window', '-d', '-n', 'flood', program]),
  });
  await tmux.run(['kill-window', '-t', 'flood']);
  return run;
}
