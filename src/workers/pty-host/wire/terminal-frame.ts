import { Frame } from '../../../contract/host-protocol.js';
import { MAX_DIMENSION, MAX_HOST_META_BYTES, MIN_DIMENSION } from '../../../contract/limits.js';
import type { HostedTerminal } from '../hosted-terminal.js';
import { FieldReader, FramingError } from './framing.js';
import type { Peer } from './peer.js';

/** Applies a client's frame to one terminal; throws FramingError for an invalid frame. */
export function terminalFrame(peer: Peer, terminal: HostedTerminal, type: number, payload: Buffer): void {
  const fields = new FieldReader(payload);
  switch (type) {
    case Frame.attach:
      terminal.attach(peer, fields.u32());
      return;
    case Frame.detach:
      terminal.detach(peer);
      return;
    case Frame.input:
      terminal.reply(payload);
      return;
    case Frame.resize:
      terminal.resize(dimension(fields.u16()), dimension(fields.u16()));
      return;
    case Frame.confirm:
      terminal.confirm(peer, fields.position());
      return;
    case Frame.checkpoint: {
      const position = fields.position();
      const cols = dimension(fields.u16());
      const rows = dimension(fields.u16());
      terminal.checkpoint(peer, { position, cols, rows, bytes: fields.rest() });
      return;
    }
    case Frame.meta:
      if (payload.length > MAX_HOST_META_BYTES) throw new FramingError('meta is too long');
      terminal.meta = payload.toString();
      terminal.record.write();
      return;
    default:
      throw new FramingError(`unknown frame type ${type}`);
  }
}

function dimension(value: number): number {
  if (value < MIN_DIMENSION || value > MAX_DIMENSION)
    throw new FramingError(`a dimension cannot be ${value}`);
  return value;
}
