/** Parses a whole unmasked WebSocket text frame by RFC 6455, 5.2; throws for anything else. */
export function payloadOf(bytes: ArrayBuffer | Uint8Array): string {
  const frame = Buffer.from(bytes as Uint8Array);
  if (frame[0] !== 0x81) throw new Error(`frame begins with ${frame[0]?.toString(16)}`);
  const short = frame.readUInt8(1);
  const [header, length] =
    short === 127
      ? [10, Number(frame.readBigUInt64BE(2))]
      : short === 126
        ? [4, frame.readUInt16BE(2)]
        : [2, short];
  // Only the shortest possible form of a length is allowed.
  const shortest = length > 65_535 ? 10 : length > 125 ? 4 : 2;
  if (header !== shortest) throw new Error(`${length} bytes behind a header of ${header}`);
  if (frame.length !== header + length)
    throw new Error(`${frame.length - header} bytes, ${length} announced`);
  return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(frame.subarray(header));
}
