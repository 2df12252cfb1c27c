import { FRAME_HEADER_BYTES, FRAME_LENGTH_BYTES, Frame } from '../../../contract/host-protocol.js';
import { MAX_HOST_FRAME_BYTES } from '../../../contract/limits.js';

/*
 * Codec of the frames drawn in src/contract/host-protocol.ts, used by the host and its clients alike.
 */

/** The other side sent bytes that are no frame; its connection must be closed. */
export class FramingError extends Error {
  override readonly name = 'FramingError';
}

const HEADER_AFTER_LENGTH = FRAME_HEADER_BYTES - FRAME_LENGTH_BYTES;

/** Returns the header of a frame whose payload of `payloadBytes` bytes follows separately. */
export function frameHeader(type: Frame, terminal: number, payloadBytes: number): Buffer {
  const header = Buffer.allocUnsafe(FRAME_HEADER_BYTES);
  writeHeader(header, type, terminal, payloadBytes);
  return header;
}

/** Returns a whole frame in one buffer, for small payloads. */
export function encodeFrame(type: Frame, terminal: number, payload: Uint8Array): Buffer {
  const frame = Buffer.allocUnsafe(FRAME_HEADER_BYTES + payload.length);
  writeHeader(frame, type, terminal, payload.length);
  frame.set(payload, FRAME_HEADER_BYTES);
  return frame;
}

export function encodeJson(type: Frame, terminal: number, value: unknown): Buffer {
  return encodeFrame(type, terminal, Buffer.from(JSON.stringify(value)));
}

function writeHeader(target: Buffer, type: Frame, terminal: number, payloadBytes: number): void {
  target.writeUInt32BE(HEADER_AFTER_LENGTH + payloadBytes, 0);
  target.writeUInt8(type, FRAME_LENGTH_BYTES);
  target.writeUInt32BE(terminal, FRAME_LENGTH_BYTES + 1);
}

/** Encodes the numbers of a payload in the order of the list. */
export function encodeFields(fields: readonly ['u16' | 'u32' | 'f64', number][]): Buffer {
  const payload = Buffer.allocUnsafe(fields.reduce((sum, [kind]) => sum + FIELD_BYTES[kind], 0));
  let at = 0;
  for (const [kind, value] of fields) {
    if (kind === 'f64') payload.writeDoubleBE(value, at);
    else if (kind === 'u32') payload.writeUInt32BE(value, at);
    else payload.writeUInt16BE(value, at);
    at += FIELD_BYTES[kind];
  }
  return payload;
}

const FIELD_BYTES = { u16: 2, u32: 4, f64: 8 } as const;

/** Reads the numbers of a payload one after the other; throws {@link FramingError} when the payload is too short. */
export class FieldReader {
  readonly #payload: Buffer;
  #at = 0;

  constructor(payload: Buffer) {
    this.#payload = payload;
  }

  u8(): number {
    return this.#payload.readUInt8(this.#take(1));
  }

  u16(): number {
    return this.#payload.readUInt16BE(this.#take(2));
  }

  u32(): number {
    return this.#payload.readUInt32BE(this.#take(4));
  }

  /** Reads a byte count: a whole number, not negative. */
  position(): number {
    const value = this.#payload.readDoubleBE(this.#take(8));
    if (!Number.isSafeInteger(value) || value < 0) throw new FramingError('position is not a byte count');
    return value;
  }

  f64(): number {
    return this.#payload.readDoubleBE(this.#take(8));
  }

  bytes(count: number): Buffer {
    const at = this.#take(count);
    return this.#payload.subarray(at, at + count);
  }

  rest(): Buffer {
    return this.#payload.subarray(this.#at);
  }

  #take(bytes: number): number {
    const at = this.#at;
    if (at + bytes > this.#payload.length) throw new FramingError('payload is too short');
    this.#at += bytes;
    return at;
  }
}

export function parseJson(payload: Buffer): unknown {
  try {
    return JSON.parse(payload.toString());
  } catch (error) {
    throw new FramingError('payload is not JSON', { cause: error });
  }
}

/** Receives one frame. The payload is a view of the pushed bytes, valid for as long as the receiver keeps it. */
export type OnFrame = (type: number, terminal: number, payload: Buffer) => void;

export interface DecoderOptions {
  /** Longest accepted frame, counted as its length field does. */
  maxBytes?: number;
  /** Returns whether to skip a longer frame, known only by its header; otherwise it is a {@link FramingError}. */
  passOver?: (type: number, terminal: number, length: number) => boolean;
}

/**
 * Splits a byte stream into frames. `output` frames are passed on in pieces as they arrive, since their bytes mean the
 * same however they are split: so a flood is never joined in memory only to be split again.
 */
export class FrameDecoder {
  readonly #onFrame: OnFrame;
  readonly #maxBytes: number;
  readonly #passOver: DecoderOptions['passOver'];
  #parts: Buffer[] = [];
  #partBytes = 0;
  /** Bytes of the next header or payload; of an `output` payload, the bytes still to come. */
  #wanted = FRAME_HEADER_BYTES;
  #header: { type: number; terminal: number } | null = null;
  /** Bytes still to come of a skipped payload. */
  #passing = 0;

  constructor(onFrame: OnFrame, { maxBytes = MAX_HOST_FRAME_BYTES, passOver }: DecoderOptions = {}) {
    this.#onFrame = onFrame;
    this.#maxBytes = maxBytes;
    this.#passOver = passOver;
  }

  /** Takes the next bytes of the stream. Throws {@link FramingError}; nothing may be pushed after that. */
  push(chunk: Buffer): void {
    let at = 0;
    while (at < chunk.length) {
      if (this.#passing > 0) {
        const passed = Math.min(this.#passing, chunk.length - at);
        this.#passing -= passed;
        at += passed;
        continue;
      }
      const piece = chunk.subarray(at, at + this.#wanted - this.#partBytes);
      at += piece.length;
      const header = this.#header;
      if (header?.type === Frame.output) {
        this.#wanted -= piece.length;
        this.#onFrame(header.type, header.terminal, piece);
        if (this.#wanted === 0) this.#expectHeader();
        continue;
      }
      this.#partBytes += piece.length;
      if (this.#partBytes < this.#wanted) {
        this.#parts.push(piece);
        return;
      }
      this.#take(this.#join(piece));
    }
  }

  #join(last: Buffer): Buffer {
    if (this.#parts.length === 0) return last;
    this.#parts.push(last);
    const whole = Buffer.concat(this.#parts, this.#partBytes);
    this.#parts = [];
    return whole;
  }

  #take(bytes: Buffer): void {
    this.#partBytes = 0;
    if (this.#header) {
      const { type, terminal } = this.#header;
      this.#expectHeader();
      this.#onFrame(type, terminal, bytes);
      return;
    }
    const length = bytes.readUInt32BE(0);
    const type = bytes.readUInt8(FRAME_LENGTH_BYTES);
    const terminal = bytes.readUInt32BE(FRAME_LENGTH_BYTES + 1);
    if (length < HEADER_AFTER_LENGTH) throw new FramingError(`a frame cannot have ${length} bytes`);
    if (length > this.#maxBytes) {
      if (!this.#passOver?.(type, terminal, length))
        throw new FramingError(`a frame cannot have ${length} bytes`);
      this.#passing = length - HEADER_AFTER_LENGTH;
      return;
    }
    if (length === HEADER_AFTER_LENGTH) {
      this.#onFrame(type, terminal, EMPTY);
      return;
    }
    this.#header = { type, terminal };
    this.#wanted = length - HEADER_AFTER_LENGTH;
  }

  #expectHeader(): void {
    this.#header = null;
    this.#wanted = FRAME_HEADER_BYTES;
  }
}

const EMPTY = Buffer.alloc(0);
