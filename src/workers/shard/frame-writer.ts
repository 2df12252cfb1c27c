import { MAX_FRAME_BYTES } from '../../contract/limits.js';
import { MAX_ESCAPED_BYTES } from './escape-json.js';
import { fastEscaper, plainEscaper } from './escape-wasm.js';
import { MAX_FRAME_HEADER_BYTES, writeFrameHeader } from './frame-header.js';
import type { FrameVariant, OutputFrame } from './protocol.js';
import { validUtf8 } from './valid-utf8.js';

/** Bytes around the output in a frame, unless the terminal's id is long. */
const AROUND_BYTES = 4 * 1024;
const MEMORY_BYTES = AROUND_BYTES + MAX_FRAME_BYTES * MAX_ESCAPED_BYTES;

/** Most bytes after the output: `seq`, the size of a screen, and the time at which the frame was made. */
const MAX_TAIL_BYTES = 100;

/** Returns the JSON text of an `output.data` event up to its output. It is the same in each frame of a terminal. */
export function frameHead(terminalId: string): Buffer {
  return Buffer.from(
    `{"type":"event","event":{"type":"output.data","terminalId":${JSON.stringify(terminalId)},"data":{"content":"`,
  );
}

/**
 * Makes output events into WebSocket messages, including headers, so that a sender only has to write them. Encodes a
 * terminal's bytes once, whatever the number of variants and clients, in memory that all frames of a shard share. One
 * frame at a time: {@link begin}, any number of {@link add}, {@link end}.
 */
export class FrameWriter {
  /** Escaper for all frames except those that contain a large screen. */
  readonly #usual = fastEscaper(MEMORY_BYTES);
  #escaper = this.#usual;
  #end = 0;
  /** Time of the last frame in epoch milliseconds, and as ISO text. */
  #madeAt = 0;
  #timestamp = '';

  begin(head: Uint8Array): void {
    this.#end = MAX_FRAME_HEADER_BYTES;
    this.#reserve(head.length);
    this.#escaper.memory.set(head, this.#end);
    this.#end += head.length;
  }

  /** Adds output. Invalid UTF-8 becomes U+FFFD, as if all of `bytes` were decoded at once. */
  add(bytes: Uint8Array): void {
    const valid = validUtf8(bytes);
    this.#reserve(valid.length * MAX_ESCAPED_BYTES);
    this.#end = this.#escaper.escape(valid, this.#end);
  }

  /** Adds text that is not raw output: it may contain lone surrogates, which JSON can express. */
  addText(text: string): void {
    const quoted = Buffer.from(JSON.stringify(text));
    this.#reserve(quoted.length);
    this.#escaper.memory.set(quoted.subarray(1, -1), this.#end);
    this.#end += quoted.length - 2;
  }

  /**
   * Returns the watched variants of the frame, as transferable buffers.
   *
   * @param seq - bytes of the terminal up to the end of the frame, for clients that asked for it
   * @param size - size of the screen that the frame contains; absent for other output
   */
  end(seq: number, wanted: ReadonlySet<FrameVariant>, size?: { cols: number; rows: number }): OutputFrame {
    this.#reserve(0);
    const frame: OutputFrame = {};
    if (wanted.has('plain')) frame.plain = this.#frame('');
    const isSized = wanted.has('sized');
    if (wanted.has('seq') || (isSized && !size)) frame.seq = this.#frame(`,"seq":${seq}`);
    if (isSized && size) frame.sized = this.#frame(`,"seq":${seq},"cols":${size.cols},"rows":${size.rows}`);
    this.#escaper = this.#usual;
    return frame;
  }

  #frame(place: string): ArrayBuffer {
    const { memory } = this.#escaper;
    const tail = `"}${place}},"timestamp":"${this.#now()}"}`;
    const end = this.#end + memory.write(tail, this.#end, 'latin1');
    const begin = writeFrameHeader(memory, MAX_FRAME_HEADER_BYTES, end - MAX_FRAME_HEADER_BYTES);
    // Copy to the exact size, because posting a buffer to another thread transfers all its memory.
    return memory.buffer.slice(memory.byteOffset + begin, memory.byteOffset + end) as ArrayBuffer;
  }

  #now(): string {
    const now = Date.now();
    if (now !== this.#madeAt) {
      this.#madeAt = now;
      this.#timestamp = new Date(now).toISOString();
    }
    return this.#timestamp;
  }

  /** Makes room for `bytes` more bytes and for the end of the frame. */
  #reserve(bytes: number): void {
    const needed = this.#end + bytes + MAX_TAIL_BYTES;
    const { memory } = this.#escaper;
    if (needed <= memory.length) return;
    this.#escaper = plainEscaper(Math.max(needed, 2 * memory.length));
    this.#escaper.memory.set(memory.subarray(0, this.#end));
  }
}
