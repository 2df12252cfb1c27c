import { ESC } from '../ascii.js';
import { EscapeReader } from './screen/xterm/escape-reader.js';

/** Consecutive pieces of output without a gap. The first piece does not begin within a sequence. */
export type Pieces = readonly { position: number; bytes: Uint8Array }[];

/**
 * Returns the first position at or after `from` where output may begin: outside of escape sequences and characters.
 * Returns undefined when a sequence is open up to the end; `reader` is then within that sequence.
 */
export function boundaryFrom(pieces: Pieces, from: number, reader = new EscapeReader()): number | undefined {
  const begin = lastEscape(pieces, from) ?? from;
  let end = from;
  for (const { position, bytes } of pieces) {
    for (let at = Math.max(0, begin - position); at < bytes.length; at++) {
      const byte = bytes[at]!;
      if (reader.isOpen) reader.take(byte);
      else if (position + at >= from && (byte & 0xc0) !== 0x80) return position + at;
      else if (byte === ESC) reader.open();
    }
    end = Math.max(end, position + bytes.length);
  }
  return reader.isOpen ? undefined : end;
}

/** Returns the position of the first byte `wanted` at or after `from` and before `to`. */
export function positionOf(pieces: Pieces, wanted: number, from: number, to: number): number | undefined {
  for (const { position, bytes } of pieces) {
    if (position >= to) break;
    const at = bytes.subarray(0, to - position).indexOf(wanted, Math.max(0, from - position));
    if (at !== -1) return position + at;
  }
  return undefined;
}

/** Returns the position of the last ESC before `before`. ESC begins a sequence in any state, so no earlier sequence is open. */
function lastEscape(pieces: Pieces, before: number): number | undefined {
  for (const { position, bytes } of [...pieces].reverse()) {
    const at = bytes.subarray(0, Math.max(0, before - position)).lastIndexOf(ESC);
    if (at !== -1) return position + at;
  }
  return undefined;
}
