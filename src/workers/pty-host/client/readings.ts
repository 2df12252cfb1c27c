import { Frame } from '../../../contract/host-protocol.js';
import { FieldReader } from '../wire/framing.js';
import { deliver, type TerminalSink } from './terminal-sink.js';

interface Reading {
  sink: TerminalSink;
  token: number;
  /** Whether this attach has been answered; frames before the answer belong to an earlier attach. */
  restored: boolean;
}

/** The terminals that one connection is attached to, by handle. */
export class Readings {
  readonly #readings = new Map<number, Reading>();
  #lastToken = 0;

  /** Returns the token of a new attach; an earlier sink of this terminal gets nothing more. */
  start(handle: number, sink: TerminalSink): number {
    this.#lastToken += 1;
    this.#readings.set(handle, { sink, token: this.#lastToken, restored: false });
    return this.#lastToken;
  }

  /** Returns whether there was an attach. */
  end(handle: number): boolean {
    return this.#readings.delete(handle);
  }

  clear(): void {
    this.#readings.clear();
  }

  /** Passes on a frame of the host. A frame without a reading was sent before the host received the detach. */
  frame(type: number, handle: number, payload: Buffer): void {
    const reading = this.#readings.get(handle);
    if (!reading) return;
    const fields = new FieldReader(payload);
    if (type === Frame.restore) restore(reading, fields);
    else if (type === Frame.detached) {
      if (fields.u32() !== reading.token) return;
      this.#readings.delete(handle);
      reading.sink.detached?.();
    } else if (reading.restored) deliver(reading.sink, type, payload, fields);
  }
}

function restore(reading: Reading, fields: FieldReader): void {
  if (fields.u32() !== reading.token) return;
  reading.restored = true;
  const position = fields.position();
  const end = fields.position();
  const confirmed = fields.position();
  const cols = fields.u16();
  const rows = fields.u16();
  reading.sink.restore({ position, end, confirmed, cols, rows, bytes: fields.rest() });
}
