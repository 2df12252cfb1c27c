import { isUtf8 } from 'node:buffer';

/**
 * Returns `bytes` itself if it is valid UTF-8, else a copy with U+FFFD in place of invalid bytes, as if all of `bytes`
 * were decoded at once.
 */
export function validUtf8(bytes: Uint8Array): Uint8Array {
  if (isUtf8(bytes)) return bytes;
  return Buffer.from(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8'));
}
