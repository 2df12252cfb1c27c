import type { Flood } from './flood-input.js';
import { FLOOD_END, LOSSES_BYTES, type Run, roomFor, type StreamClient, takenBy } from './flood-sides.js';
import type { VibeTunnel } from './vibetunnel.js';

/** Text printed before the flood. */
const READY = 'ready for the flood';
/** Returns a command that prints a text without containing it: VibeTunnel sends the command line, too. */
const print = (text: string) => `printf %s%s '${text.slice(0, 9)}' '${text.slice(9)}'`;
/** Most lines that are accepted after the flood. */
const END_LINES = `${FLOOD_END}\r\n`.repeat(1_000);

/**
 * Runs a flood with one client of VibeTunnel's event stream. The program first waits for a key until the client is
 * connected, since a client that connects during a flood gets some output twice. It prints short lines after the flood,
 * since VibeTunnel may send the last output of a program more than a minute late.
 */
export async function vibetunnelled(
  { port, api, pids }: VibeTunnel,
  flood: Flood,
  client: StreamClient,
): Promise<Run> {
  const after = `while :; do ${print(FLOOD_END)}; echo; sleep 0.1; done`;
  const program = `stty -echo; ${print(READY)}; read -r _; cat '${flood.file}'; ${after}`;
  const session = { command: ['sh', '-c', program], cols: 80, rows: 24, titleMode: 'none' };
  const { body } = await api.post<{ sessionId: string }>('/api/sessions', session);
  const path = `/api/sessions/${body.sessionId}`;
  const request = `GET ${path}/stream HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n\r\n`;
  await client.call('open', { port, request, ready: READY, end: FLOOD_END, keep: roomFor(flood.bytes) });
  const losable = LOSSES_BYTES + END_LINES.length;
  const { run } = await takenBy(client, flood, {
    ...{ pids, encoding: 'sse', head: READY, tail: END_LINES, losable },
    start: () => api.post(`${path}/input`, { text: '\r' }),
  });
  await api.delete(path);
  return run;
}
