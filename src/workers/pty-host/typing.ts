import type { InputPart } from '../../contract/terminal.js';
import { FieldReader, FramingError } from './framing.js';

/** One write of a request: `bytes`, at least `delayMs` after the program was given the one before. */
export interface TypedPart {
  bytes: Uint8Array;
  delayMs: number;
}

const CALL_BYTES = 4;
const PART_HEADER_BYTES = 8;

/**
 * Payload of a `type` frame. Binary, since it stands on the way of every keystroke:
 *
 *      u32 call | u32 delayMs, u32 length, bytes | u32 delayMs, ...
 */
export function encodeTyping(call: number, parts: readonly InputPart[]): Buffer {
  const texts = parts.map(({ data }) => Buffer.from(data, 'utf8'));
  const payload = Buffer.allocUnsafe(
    texts.reduce((size, text) => size + PART_HEADER_BYTES + text.length, CALL_BYTES),
  );
  let at = payload.writeUInt32BE(call, 0);
  for (const [index, text] of texts.entries()) {
    at = payload.writeUInt32BE(parts[index]?.delayMs ?? 0, at);
    at = payload.writeUInt32BE(text.length, at);
    at += text.copy(payload, at);
  }
  return payload;
}

/** Reads {@link encodeTyping}; throws FramingError. The bytes are views of the payload. */
export function decodeTyping(payload: Buffer): { call: number; parts: TypedPart[] } {
  const fields = new FieldReader(payload);
  const call = fields.u32();
  const parts: TypedPart[] = [];
  let rest = fields.rest();
  while (rest.length > 0) {
    const part = new FieldReader(rest);
    const delayMs = part.u32();
    const length = part.u32();
    const bytes = part.rest();
    if (length > bytes.length) throw new FramingError('typing is cut short');
    parts.push({ delayMs, bytes: bytes.subarray(0, length) });
    rest = bytes.subarray(length);
  }
  return { call, parts };
}
