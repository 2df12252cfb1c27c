import { isUtf8 } from 'node:buffer';
import { MAX_FRAME_HEADER_BYTES, writeFrameHeader } from '../../workers/shard/frame-header.js';
import { frameHead } from '../../workers/shard/frame-writer.js';
import type { FrameVariant, OutputFrame } from '../../workers/shard/protocol.js';

/** Text after the output in a frame: its position, the size if it is a screen, and the time at which it was made. */
const TAIL = /"\}(,"seq":\d{1,16})((?:,"cols":\d{1,5},"rows":\d{1,5})?)\},"timestamp":"[0-9TZ:.+-]{1,40}"\}$/;
const MAX_TAIL_BYTES = 160;

/**
 * Returns an output event of another machine as frames for the clients here; undefined if it is not an event of this terminal.
 *
 * @param json - as the owner has made it, with `seq`
 */
export function framesOf(
  terminalId: string,
  json: Uint8Array,
  wanted: readonly FrameVariant[],
): OutputFrame | undefined {
  const bytes = Buffer.from(json.buffer, json.byteOffset, json.length);
  const head = frameHead(terminalId);
  const from = Math.max(head.length, bytes.length - MAX_TAIL_BYTES);
  const tail = TAIL.exec(bytes.toString('latin1', from));
  const isSound = bytes.subarray(0, head.length).equals(head) && isUtf8(bytes);
  if (!tail || !isSound) return undefined;
  const [, seq = '', size = ''] = tail;
  // Every character of the tail is one byte wide.
  const place = from + tail.index + '"}'.length;
  const without = (start: number, length: number) =>
    frame([bytes.subarray(0, start), bytes.subarray(start + length)]);
  const frames: OutputFrame = {};
  if (wanted.includes('plain')) frames.plain = without(place, seq.length + size.length);
  const isSized = wanted.includes('sized');
  if (wanted.includes('seq') || (isSized && size === ''))
    frames.seq = without(place + seq.length, size.length);
  if (isSized && size !== '') frames.sized = frame([bytes]);
  return frames;
}

/** Returns a WebSocket message with its header. */
function frame(pieces: readonly Buffer[]): ArrayBuffer {
  const length = pieces.reduce((sum, piece) => sum + piece.length, 0);
  const memory = Buffer.alloc(MAX_FRAME_HEADER_BYTES + length);
  let at = MAX_FRAME_HEADER_BYTES;
  for (const piece of pieces) at += piece.copy(memory, at);
  const begin = writeFrameHeader(memory, MAX_FRAME_HEADER_BYTES, length);
  return memory.buffer.slice(memory.byteOffset + begin, memory.byteOffset + memory.length);
}
