/** Returns one view of both; undefined unless the second directly follows the first in the same memory. */
export function viewOfBoth(first: Uint8Array, second: Uint8Array): Uint8Array | undefined {
  const end = first.byteOffset + first.length;
  if (first.buffer !== second.buffer || end !== second.byteOffset) return undefined;
  return new Uint8Array(first.buffer, first.byteOffset, first.length + second.length);
}
