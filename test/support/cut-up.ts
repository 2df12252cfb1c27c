/** Cuts output at these places, each taken modulo the length of the output, into pieces that together are the output. */
export function cutUp(bytes: Buffer, cuts: readonly number[]): Buffer[] {
  const at = cuts.map((cut) => cut % (bytes.length + 1)).sort((a, b) => a - b);
  return [0, ...at].map((begin, index) => bytes.subarray(begin, at[index]));
}
