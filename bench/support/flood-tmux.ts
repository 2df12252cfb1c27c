import { randomUUID } from 'node:crypto';
import type { TmuxServer } from '../peers/tmux-server.js';
import { meteredToRest } from './cpu.js';
import type { Flood } from './flood-input.js';
import { FLOOD_END, inTime, type Run, roomFor, runOf, type StreamClient, takenBy } from './flood-sides.js';

/** Configuration of tmux: it keeps as many lines as the service, and draws no status line. */
export const TMUX_CONFIGURATION = 'set -g status off\nset -g history-limit 1000\n';

/** Text after a flood. Three times, since tmux may split a line between two of its messages. */
const END_LINES = `${FLOOD_END}\r\n`.repeat(3);
const PRINT_END = `printf '%s\\n' ${`'${FLOOD_END}' `.repeat(3)}`;

/** Runs a flood in a tmux window without a client. */
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
 * Runs a flood with one client of tmux in control mode. The server's CPU counts, the client's does not. The program
 * stays alive until all output has arrived, since tmux drops unsent output when a program ends.
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
