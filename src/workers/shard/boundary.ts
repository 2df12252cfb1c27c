import { EscapeReader } from './screen/escape-reader.js';

const ESC = 0x1b;

/** Bytes of output, in their order and without a gap; the first begins within no sequence. */
export type Pieces = readonly { position: number; bytes: Uint8Array }[];

/**
 * First position from `from` on where output may begin: within no escape sequence and no character. Undefined when a
 * sequence is open up to the end; `reader` is left within it.
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

/** Position of the first such byte from `from` on and before `to`. */
export function positionOf(pieces: Pieces, wanted: number, from: number, to: number): number | undefined {
  for (const { position, bytes } of pieces) {
    if (position >= to) break;
    const at = bytes.subarray(0, to - position).indexOf(wanted, Math.max(0, from - position));
    if (at !== -1) return position + at;
  }
  return undefined;
}

/** An escape begins anew in every state: what is open at `before` was begun by the last one. */
function lastEscape(pieces: Pieces, before: number): number | undefined {
  for (const { position, bytes } of [...pieces].reverse()) {
    const at = bytes.subarray(0, Math.max(0, before - position)).lastIndexOf(ESC);
    if (at !== -1) return position + at;
  }
  return undefined;
}
