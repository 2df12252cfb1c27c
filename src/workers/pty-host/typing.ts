import type { InputPart } from '../../contract/terminal.js';
import { FieldReader, FramingError } from './framing.js';

/** One write of a request: `bytes`, at least `delayMs` after the program was given the one before. */
export interface TypedPart {
  bytes: Uint8Array;
  delayMs: number;
}

const CALL_BYTES = 4;
const COUNT_BYTES = 4;
const HANDLE_BYTES = 4;
const PART_HEADER_BYTES = 8;

/**
 * Payload of a `type` frame. Binary, since it stands on the way of every keystroke:
 *
 *      u32 call | u32 delayMs, u32 length, bytes | u32 delayMs, ...
 */
export function encodeTyping(call: number, parts: readonly InputPart[]): Buffer {
  const texts = textsOf(parts);
  const payload = Buffer.allocUnsafe(CALL_BYTES + sizeOf(texts));
  writeParts(payload, payload.writeUInt32BE(call, 0), parts, texts);
  return payload;
}

/** Payload of a `typeAll` frame: behind the call the number of handles, and the handles. */
export function encodeTypingAll(
  call: number,
  handles: readonly number[],
  parts: readonly InputPart[],
): Buffer {
  const texts = textsOf(parts);
  const head = CALL_BYTES + COUNT_BYTES + HANDLE_BYTES * handles.length;
  const payload = Buffer.allocUnsafe(head + sizeOf(texts));
  let at = payload.writeUInt32BE(call, 0);
  at = payload.writeUInt32BE(handles.length, at);
  for (const handle of handles) at = payload.writeUInt32BE(handle, at);
  writeParts(payload, at, parts, texts);
  return payload;
}

/** Reads {@link encodeTyping}; throws FramingError. The bytes are views of the payload. */
export function decodeTyping(payload: Buffer): { call: number; parts: TypedPart[] } {
  const fields = new FieldReader(payload);
  return { call: fields.u32(), parts: readParts(fields.rest()) };
}

/** Reads {@link encodeTypingAll}; throws FramingError. The bytes are views of the payload. */
export function decodeTypingAll(payload: Buffer): { call: number; handles: number[]; parts: TypedPart[] } {
  const fields = new FieldReader(payload);
  const call = fields.u32();
  const count = fields.u32();
  if (count * HANDLE_BYTES > payload.length) throw new FramingError('typing is cut short');
  const handles = Array.from({ length: count }, () => fields.u32());
  return { call, handles, parts: readParts(fields.rest()) };
}

function textsOf(parts: readonly InputPart[]): Buffer[] {
  return parts.map(({ data }) => Buffer.from(data, 'utf8'));
}

function sizeOf(texts: readonly Buffer[]): number {
  return texts.reduce((size, text) => size + PART_HEADER_BYTES + text.length, 0);
}

function writeParts(
  payload: Buffer,
  from: number,
  parts: readonly InputPart[],
  texts: readonly Buffer[],
): void {
  let at = from;
  for (const [index, text] of texts.entries()) {
    at = payload.writeUInt32BE(parts[index]?.delayMs ?? 0, at);
    at = payload.writeUInt32BE(text.length, at);
    at += text.copy(payload, at);
  }
}

function readParts(bytes: Buffer): TypedPart[] {
  const parts: TypedPart[] = [];
  let rest = bytes;
  while (rest.length > 0) {
    const part = new FieldReader(rest);
    const delayMs = part.u32();
    const length = part.u32();
    const tail = part.rest();
    if (length > tail.length) throw new FramingError('typing is cut short');
    parts.push({ delayMs, bytes: tail.subarray(0, length) });
    rest = tail.subarray(length);
  }
  return parts;
}
