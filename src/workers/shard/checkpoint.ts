import { deflateRawSync, inflateRawSync } from 'node:zlib';

/** First byte of a checkpoint: how the rest is packed. */
const PLAIN = 0;
const DEFLATED = 1;

/** Below this, deflating saves nothing worth its time. */
const DEFLATE_FROM_BYTES = 4096;

/**
 * A checkpoint is what to feed a fresh screen so that the bytes after it continue right: the serialized screen
 * and the beginning of a sequence that is not finished yet.
 *
 * @param deflate - pay about 2 ms for 100 KB to keep the pty host small; not worth it when the next checkpoint
 *   comes in a moment
 */
export function packCheckpoint(screen: string, pending: Uint8Array, deflate: boolean): Uint8Array {
  const bytes = Buffer.concat([Buffer.from(screen, 'utf8'), pending]);
  return deflate && bytes.length >= DEFLATE_FROM_BYTES
    ? Buffer.concat([Buffer.of(DEFLATED), deflateRawSync(bytes, { level: 1 })])
    : Buffer.concat([Buffer.of(PLAIN), bytes]);
}

/** What {@link packCheckpoint} was given, ready to be fed. Empty before a terminal's first checkpoint. */
export function unpackCheckpoint(packed: Uint8Array): Uint8Array {
  switch (packed[0]) {
    case undefined:
      return packed;
    case PLAIN:
      return packed.subarray(1);
    case DEFLATED:
      return inflateRawSync(packed.subarray(1));
    default:
      throw new Error(`unknown checkpoint packing ${packed[0]}`);
  }
}
