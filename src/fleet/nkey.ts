const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** The prefix of a user's key, which begins with `U`. */
const USER = 20 << 3;

/** Returns an Ed25519 public key as NATS writes that of a user: base32 of a prefix, the key and a checksum. */
export function nkeyOf(publicKey: string): string {
  const body = Buffer.concat([Buffer.from([USER]), Buffer.from(publicKey, 'base64url')]);
  const sum = Buffer.alloc(2);
  sum.writeUInt16LE(crc16(body));
  return base32(Buffer.concat([body, sum]));
}

/** CRC-16 with the polynomial 0x1021, as XMODEM has it. */
function crc16(bytes: Uint8Array): number {
  let crc = 0;
  for (const byte of bytes) {
    crc ^= byte << 8;
    for (let bit = 0; bit < 8; bit++) crc = (crc & 0x8000 ? (crc << 1) ^ 0x1021 : crc << 1) & 0xffff;
  }
  return crc;
}

function base32(bytes: Uint8Array): string {
  let text = '';
  let value = 0;
  let bits = 0;
  for (const byte of bytes) {
    value = ((value << 8) | byte) & 0xfff;
    bits += 8;
    for (; bits >= 5; bits -= 5) text += ALPHABET[(value >>> (bits - 5)) & 31];
  }
  return bits > 0 ? text + ALPHABET[(value << (5 - bits)) & 31] : text;
}
