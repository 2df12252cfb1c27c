import type { HostReply } from '../../../contract/host-protocol.js';
import type { HostedTerminal } from '../hosted-terminal.js';
import { faultOf } from './host-fault.js';

/** A reply of the host without its call number. */
export type Reply = HostReply extends infer R ? (R extends unknown ? Omit<R, 'call'> : never) : never;

/** Characters of rows in one frame. Even at six bytes for each in JSON, this is far below what a frame may hold. */
const PIECE_CHARS = 512 * 1024;

/** Replies with tmux's screen of a terminal, in as many pieces as needed. */
export async function replyCapture(
  terminal: HostedTerminal | undefined,
  scrollback: boolean,
  reply: (reply: Reply) => void,
): Promise<void> {
  try {
    const capture = (await terminal?.capture(scrollback)) ?? null;
    for (const rows of pieces(capture?.rows ?? [])) reply({ rows });
    reply({ capture: capture && { cursor: capture.cursor } });
  } catch (error) {
    reply({ error: faultOf(error) });
  }
}

function* pieces(rows: readonly string[]): Iterable<string[]> {
  let piece: string[] = [];
  let chars = 0;
  for (const row of rows) {
    piece.push(row);
    chars += row.length;
    if (chars < PIECE_CHARS) continue;
    yield piece;
    piece = [];
    chars = 0;
  }
  if (piece.length > 0) yield piece;
}
