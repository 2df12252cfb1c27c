import type { InputPart } from '../../../contract/terminal.js';
import { FieldReader, FramingError } from './framing.js';

/** One write of a request: `bytes`, at least `delayMs` after the program got the previous write. */
export interface TypedPart {
  bytes: Uint8Array;
  delayMs: number;
}

/** The fields before the writes of a request. */
export interface TypingHead {
  call: number;
  /** On the clock of `hrMs`: a host that reads the request later does not type it. */
  deadline: number;
  /** Operation id: text that was typed into a terminal under this id is not typed there again. Empty for none. */
  once: string;
}

/** How a request was written into a terminal. */
export interface Written {
  /** The terminal may have taken some of it line by line and without echo, as for a password, or it was dropped. */
  isHidden: boolean;
  /**
   * Bytes of the terminal's output that had been read when writing began; for input that had waited behind other input,
   * when writing was done.
   */
  position: number;
}

const CALL_BYTES = 4;
const HEAD_BYTES = 14;
const COUNT_BYTES = 4;
const HANDLE_BYTES = 4;
const PART_HEADER_BYTES = 8;
const POSITION_BYTES = 8;

/**
 * Encodes the payload of a `type` frame. It is binary, since it is on the path of every keystroke:
 *
 *      u32 call, f64 deadline, u16 length, once | u32 delayMs, u32 length, bytes | u32 delayMs, ...
 */
export function encodeTyping(head: TypingHead, parts: readonly InputPart[]): Buffer {
  const texts = textsOf(parts);
  const once = Buffer.from(head.once);
  const payload = Buffer.allocUnsafe(HEAD_BYTES + once.length + sizeOf(texts));
  writeParts(payload, writeHead(payload, head, once), parts, texts);
  return payload;
}

/** Encodes the payload of a `typeAll` frame: after the head, the number of handles and the handles. */
export function encodeTypingAll(
  head: TypingHead,
  handles: readonly number[],
  parts: readonly InputPart[],
): Buffer {
  const texts = textsOf(parts);
  const once = Buffer.from(head.once);
  const handleBytes = COUNT_BYTES + HANDLE_BYTES * handles.length;
  const payload = Buffer.allocUnsafe(HEAD_BYTES + once.length + handleBytes + sizeOf(texts));
  let at = writeHead(payload, head, once);
  at = payload.writeUInt32BE(handles.length, at);
  for (const handle of handles) at = payload.writeUInt32BE(handle, at);
  writeParts(payload, at, parts, texts);
  return payload;
}

/** Decodes {@link encodeTyping}; throws FramingError. The bytes are views of the payload. */
export function decodeTyping(payload: Buffer): TypingHead & { parts: TypedPart[] } {
  const fields = new FieldReader(payload);
  const head = readHead(fields);
  return { parts: readParts(fields.rest()), ...head };
}

/** Decodes {@link encodeTypingAll}; throws FramingError. The bytes are views of the payload. */
export function decodeTypingAll(payload: Buffer): TypingHead & { handles: number[]; parts: TypedPart[] } {
  const fields = new FieldReader(payload);
  const head = readHead(fields);
  const count = fields.u32();
  if (count * HANDLE_BYTES > payload.length) throw new FramingError('typing is cut short');
  const handles = Array.from({ length: count }, () => fields.u32());
  return { handles, parts: readParts(fields.rest()), ...head };
}

/** Writes the head into the payload; returns the offset of the first byte after it. */
function writeHead(payload: Buffer, { call, deadline }: TypingHead, once: Buffer): number {
  let at = payload.writeUInt32BE(call, 0);
  at = payload.writeDoubleBE(deadline, at);
  at = payload.writeUInt16BE(once.length, at);
  return at + once.copy(payload, at);
}

function readHead(fields: FieldReader): TypingHead {
  return { call: fields.u32(), deadline: fields.f64(), once: fields.bytes(fields.u16()).toString() };
}

/** Encodes the payload of a `written` frame: u32 call, u8 hidden, f64 position. */
export function encodeWritten(call: number, { isHidden, position }: Written): Buffer {
  const payload = Buffer.allocUnsafe(CALL_BYTES + 1 + POSITION_BYTES);
  payload.writeDoubleBE(position, payload.writeUInt8(isHidden ? 1 : 0, payload.writeUInt32BE(call, 0)));
  return payload;
}

/** Decodes {@link encodeWritten}; throws FramingError. */
export function decodeWritten(payload: Buffer): { call: number; written: Written } {
  const fields = new FieldReader(payload);
  const call = fields.u32();
  return { call, written: { isHidden: fields.u8() === 1, position: fields.position() } };
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
