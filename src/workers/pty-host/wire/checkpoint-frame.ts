import { Frame } from '../../../contract/host-protocol.js';
import { MAX_HOST_FRAME_BYTES } from '../../../contract/limits.js';
import { encodeFields, frameHeader } from './framing.js';

/** A checkpoint: the screen after all output before `position`. */
export interface NextCheckpoint {
  position: number;
  cols: number;
  rows: number;
  bytes: Uint8Array;
}

/** Returns the frame of a checkpoint in pieces, so that its bytes are not copied. Throws if it is too long. */
export function checkpointPieces(handle: number, next: NextCheckpoint): Uint8Array[] {
  const fields = encodeFields([
    ['f64', next.position],
    ['u16', next.cols],
    ['u16', next.rows],
  ]);
  const header = frameHeader(Frame.checkpoint, handle, fields.length + next.bytes.length);
  if (header.readUInt32BE(0) > MAX_HOST_FRAME_BYTES) throw new Error('checkpoint is too long');
  return [header, fields, next.bytes];
}
