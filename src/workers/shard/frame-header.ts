/** Most bytes of an unmasked WebSocket frame's header: 2 bytes, and 2 or 8 more for a longer length. */
export const MAX_FRAME_HEADER_BYTES = 10;

/** First byte of a frame that is a whole text message. */
const FIN_TEXT = 0x81;

const MAX_SHORT = 125;
const MAX_MEDIUM = 0xffff;
const LENGTH_IN_2_BYTES = 126;
const LENGTH_IN_8_BYTES = 127;

/**
 * Writes the WebSocket header (RFC 6455, 5.2) of a server's text message right before its payload; returns the index
 * where the frame begins.
 *
 * @param payload - where the payload begins in `memory`, with room for {@link MAX_FRAME_HEADER_BYTES} before it
 * @param bytes - length of the payload
 */
export function writeFrameHeader(memory: Buffer, payload: number, bytes: number): number {
  if (bytes <= MAX_SHORT) {
    memory[payload - 2] = FIN_TEXT;
    memory[payload - 1] = bytes;
    return payload - 2;
  }
  if (bytes <= MAX_MEDIUM) {
    memory[payload - 4] = FIN_TEXT;
    memory[payload - 3] = LENGTH_IN_2_BYTES;
    memory.writeUInt16BE(bytes, payload - 2);
    return payload - 4;
  }
  memory[payload - 10] = FIN_TEXT;
  memory[payload - 9] = LENGTH_IN_8_BYTES;
  memory.writeUInt32BE(Math.floor(bytes / 2 ** 32), payload - 8);
  memory.writeUInt32BE(bytes % 2 ** 32, payload - 4);
  return payload - 10;
}

/** Returns the length in bytes of a frame's header that {@link writeFrameHeader} wrote. */
export function frameHeaderBytes(frame: Uint8Array): number {
  if (frame[1] === LENGTH_IN_8_BYTES) return 10;
  return frame[1] === LENGTH_IN_2_BYTES ? 4 : 2;
}
