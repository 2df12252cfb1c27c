import { randomFillSync } from 'node:crypto';
import { NotUnderstoodError } from '../errors.js';

/** Kinds of WebSocket frames (RFC 6455, section 5.2). */
export const TEXT = 1;
export const CLOSE = 8;
export const PING = 9;
export const PONG = 10;
const CONTINUATION = 0;
const KINDS: ReadonlySet<number> = new Set([CONTINUATION, TEXT, CLOSE, PING, PONG]);

const FINAL = 0x80;
/** Bits for extensions, which this client does not ask for. */
const RESERVED = 0x70;
const MASKED = 0x80;
const KIND = 0x0f;
const LENGTH = 0x7f;
/** Values of the length field that say that the length follows in 2 or in 8 bytes. */
const LENGTH_IN_2 = 126;
const LENGTH_IN_8 = 127;

/** Most bytes of one frame, far above any message of the service. */
const MAX_FRAME_BYTES = 64 * 1024 * 1024;

/** A whole message, put together from its fragments, or a control frame. */
export interface Message {
  kind: number;
  payload: Buffer;
}

/** Returns a frame of a client, which must mask it (RFC 6455, section 5.3). */
export function clientFrame(kind: number, payload: Buffer): Buffer {
  const { length } = payload;
  const extra = length < LENGTH_IN_2 ? 0 : length < 0x1_0000 ? 2 : 8;
  const frame = Buffer.alloc(2 + extra + 4 + length);
  frame[0] = FINAL | kind;
  frame[1] = MASKED | (extra === 0 ? length : extra === 2 ? LENGTH_IN_2 : LENGTH_IN_8);
  if (extra === 2) frame.writeUInt16BE(length, 2);
  if (extra === 8) frame.writeBigUInt64BE(BigInt(length), 2);
  const mask = randomFillSync(Buffer.alloc(4));
  mask.copy(frame, 2 + extra);
  const at = 2 + extra + 4;
  for (let index = 0; index < length; index++) frame[at + index] = payload[index]! ^ mask[index & 3]!;
  return frame;
}

/** Takes the bytes of a connection apart into messages. Throws NotUnderstoodError if they are no frames of a server. */
export class FrameReader {
  #chunks: Buffer[] = [];
  #bytes = 0;
  #fragments: Buffer[] = [];
  #kind = 0;

  /** Returns the messages that these bytes complete. */
  read(chunk: Buffer): Message[] {
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
    const messages: Message[] = [];
    for (let message = this.#next(); message !== 'more'; message = this.#next())
      if (message !== 'fragment') messages.push(message);
    return messages;
  }

  #next(): Message | 'fragment' | 'more' {
    if (this.#bytes < 2) return 'more';
    const head = this.#joined(Math.min(this.#bytes, 10));
    const isOurs = (head[0]! & RESERVED) === 0 && KINDS.has(head[0]! & KIND) && (head[1]! & MASKED) === 0;
    if (!isOurs) throw new NotUnderstoodError('it is no frame of a WebSocket');
    const short = head[1]! & LENGTH;
    const extra = short < LENGTH_IN_2 ? 0 : short === LENGTH_IN_2 ? 2 : 8;
    if (this.#bytes < 2 + extra) return 'more';
    const length = extra === 0 ? short : extra === 2 ? head.readUInt16BE(2) : Number(head.readBigUInt64BE(2));
    if (length > MAX_FRAME_BYTES) throw new NotUnderstoodError(`a frame of ${length} bytes`);
    const end = 2 + extra + length;
    if (this.#bytes < end) return 'more';
    const frame = this.#joined(end);
    const payload = frame.subarray(2 + extra, end);
    const [first] = this.#chunks;
    this.#chunks[0] = first!.subarray(end);
    this.#bytes -= end;
    return this.#put(frame[0]!, payload);
  }

  #put(first: number, payload: Buffer): Message | 'fragment' {
    const kind = first & KIND;
    if (kind >= CLOSE) return { kind, payload };
    if (kind !== CONTINUATION) this.#kind = kind;
    this.#fragments.push(payload);
    if ((first & FINAL) === 0) return 'fragment';
    const whole = this.#fragments.length === 1 ? payload : Buffer.concat(this.#fragments);
    this.#fragments = [];
    return { kind: this.#kind, payload: whole };
  }

  /** Returns the first chunk, with at least `length` bytes in it. Joins each byte once. */
  #joined(length: number): Buffer {
    const [first] = this.#chunks;
    if (first!.length >= length) return first!;
    const joined = Buffer.concat(this.#chunks);
    this.#chunks = [joined];
    return joined;
  }
}
