import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { MAX_CHECKPOINT_BYTES } from '../../contract/limits.js';
import type { Screen } from './screen/screen.js';

/** First byte of a checkpoint: how the rest is packed. */
const PLAIN = 0;
const DEFLATED = 1;

/** Below this, deflating saves nothing worth its time; above the other bound it is always worth it. */
const DEFLATE_FROM_BYTES = 4 * 1024;
const DEFLATE_ALWAYS_FROM_BYTES = 512 * 1024;

export interface PackOptions {
  scrollback: boolean;
  /** Pay about 2 ms for 100 KB to keep the pty host small; not worth it when the next one comes in a moment. */
  deflate: boolean;
}

/**
 * Packs what to feed a fresh screen so that the bytes after it continue right: the serialized screen and the
 * beginning of a sequence that is not finished yet. One too large for the pty host goes without its scrollback.
 * `size` is that of the serialized screen.
 */
export function packCheckpoint(screen: Screen, options: PackOptions): { packed: Uint8Array; size: number } {
  const text = screen.serialize({ scrollback: options.scrollback });
  const bytes = Buffer.concat([Buffer.from(text, 'utf8'), screen.pending()]);
  const packed = pack(bytes, options.deflate);
  if (packed.length <= MAX_CHECKPOINT_BYTES || !options.scrollback) return { packed, size: bytes.length };
  return { ...packCheckpoint(screen, { scrollback: false, deflate: true }), size: bytes.length };
}

function pack(bytes: Buffer, deflate: boolean): Uint8Array {
  return bytes.length >= (deflate ? DEFLATE_FROM_BYTES : DEFLATE_ALWAYS_FROM_BYTES)
    ? Buffer.concat([Buffer.of(DEFLATED), deflateRawSync(bytes, { level: 1 })])
    : Buffer.concat([Buffer.of(PLAIN), bytes]);
}

/** What {@link packCheckpoint} packed, ready to be fed. Empty before a terminal's first checkpoint. */
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
