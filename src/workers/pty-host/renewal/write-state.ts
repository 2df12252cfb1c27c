import type { KeptTerminal } from '../earlier-terminal.js';
import { type KeptState, type KeptTerminalHead, STATE_FORMAT } from './kept-state.js';
import type { StateFiles } from './state-files.js';

/** All that a host hands to the program that replaces it. */
export interface KeptHost extends Pick<KeptState, 'lastHandle' | 'typed'> {
  terminals: readonly (KeptTerminal & { nice: number })[];
}

/**
 * Writes the state for `readHead` and `readTerminals`, and returns its head. Throws the error of the system, or if a
 * checkpoint cannot be read back.
 */
export function writeState(files: StateFiles, listening: number, host: KeptHost): KeptState {
  const { lastHandle, typed, terminals } = host;
  const heads = terminals.map((terminal) => headOf(terminal));
  const state: KeptState = { format: STATE_FORMAT, listening, lastHandle, typed, terminals: heads };
  files.writeHead(Buffer.from(JSON.stringify(state)));
  for (const { log, pty, input } of terminals) {
    if (log.checkpoint.kept.length > 0) files.writeCheckpoint(log.checkpoint.kept.read());
    for (const bytes of [...log.output, ...pty.input, ...input.map((part) => part.bytes)]) files.write(bytes);
  }
  files.flush();
  return state;
}

function headOf(terminal: KeptTerminal & { nice: number }): KeptTerminalHead {
  const { handle, id, meta, pid, cols, rows, exit, confirmed, nice, session, pty, log, input } = terminal;
  const { position, kept, ...size } = log.checkpoint;
  const { drain, files, end } = pty;
  return {
    ...{ handle, id, meta, pid, cols, rows, exit, confirmed, nice, session },
    pty: {
      files,
      end,
      drain: drain && {
        ...drain,
        marker: drain.marker.toString('base64'),
        held: drain.held.toString('base64'),
        fragments: [...drain.fragments],
      },
    },
    log: {
      checkpoint: { position, cols: size.cols, rows: size.rows, length: kept.length },
      resizes: [...log.resizes],
      output: lengthOf(log.output),
    },
    // First the input that the PTY's writer has not written yet: its delay is over. Then the input of the queue.
    input: [
      ...pty.input.map(({ length }) => ({ delayMs: 0, length })),
      ...input.map(({ delayMs, bytes }) => ({ delayMs, length: bytes.length })),
    ],
  };
}

function lengthOf(views: readonly Uint8Array[]): number {
  return views.reduce((sum, { length }) => sum + length, 0);
}
