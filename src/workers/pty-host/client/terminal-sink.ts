import { Frame } from '../../../contract/host-protocol.js';
import type { ExitStatus } from '../../../contract/terminal.js';
import { type FieldReader, parseJson } from '../wire/framing.js';

/** Receives one terminal's stream. All methods are called in the order of the stream. */
export interface TerminalSink {
  /** Called first after attach, with the checkpoint to start from. `confirmed` counts since spawn. */
  restore(state: RestoreState): void;
  output(bytes: Buffer): void;
  /** Called at a resize: later output was printed at this size. */
  resized(cols: number, rows: number): void;
  /** Called after the last output. */
  exited(exit: ExitStatus): void;
  /** Called when the host's log nears its limit, at which the program blocks. */
  checkpointWanted(): void;
  /** Called when nothing more will come: the terminal was closed, is unknown, or another client has attached. */
  detached?(): void;
}

export interface RestoreState {
  /** Output position after `bytes`, which were made at `cols` x `rows`. */
  position: number;
  /** Output position up to which the host has the stream at present: everything before it is a replay. */
  end: number;
  confirmed: number;
  cols: number;
  rows: number;
  bytes: Buffer;
}

/** Passes a frame of the stream to the sink. */
export function deliver(sink: TerminalSink, type: number, payload: Buffer, fields: FieldReader): void {
  if (type === Frame.output) sink.output(payload);
  else if (type === Frame.resized) sink.resized(fields.u16(), fields.u16());
  else if (type === Frame.exited) sink.exited(parseJson(payload) as ExitStatus);
  else if (type === Frame.checkpointWanted) sink.checkpointWanted();
}
