import { createCipheriv, createDecipheriv } from 'node:crypto';
import type { AgreementKey } from '../key-agreement.js';

/**
 * Packet of a stream: kind (1 byte), number (8 bytes, big-endian), then the sealed content with its tag (AES-256-GCM).
 * Kind and number are the nonce and are covered by the tag. Each direction has a key of its own.
 */
export const PACKET = {
  /** Part of a message, numbered from 0; a part that is sent again is the same bytes. */
  part: 0,
  /** The last part of a message. */
  last: 1,
  /** JSON of the owner about the stream, beside its parts. */
  state: 2,
  /** JSON of the follower. */
  want: 3,
} as const;
export type PacketKind = (typeof PACKET)[keyof typeof PACKET];

const HEAD_BYTES = 9;
const TAG_BYTES = 16;

/** A packet whose tag was right. */
export interface OpenedPacket {
  kind: number;
  number: number;
  content: Buffer;
}

/** Keys that seal a stream, one for each direction. */
export interface StreamKeys {
  owner: Buffer;
  follower: Buffer;
}

/**
 * Returns the keys of a stream; undefined for text that is no public key.
 *
 * @param publicKey - of the other side, which has signed it
 */
export function streamKeys(mine: AgreementKey, publicKey: string, streamId: string): StreamKeys | undefined {
  const [owner, follower] = mine.agree(publicKey, `stream 1 ${streamId}`) ?? [];
  return owner && follower && { owner, follower };
}

/**
 * Seals a packet.
 *
 * @param number - never used twice for different content of one kind, `part` and `last` counting as one
 */
export function sealPacket(
  key: Buffer,
  kind: PacketKind,
  number: number,
  pieces: readonly Uint8Array[],
): Uint8Array<ArrayBuffer> {
  const bytes = pieces.reduce((sum, { length }) => sum + length, 0);
  const packet = new Uint8Array(HEAD_BYTES + bytes + TAG_BYTES);
  const view = new DataView(packet.buffer);
  view.setUint8(0, kind);
  view.setBigUint64(1, BigInt(number));
  const head = packet.subarray(0, HEAD_BYTES);
  const cipher = createCipheriv('aes-256-gcm', key, nonceOf(head)).setAAD(head);
  let at = HEAD_BYTES;
  for (const piece of pieces) {
    const sealed = cipher.update(piece);
    packet.set(sealed, at);
    at += sealed.length;
  }
  packet.set(cipher.final(), at);
  packet.set(cipher.getAuthTag(), at);
  return packet;
}

/** Opens a packet; undefined unless it was sealed with this key. */
export function openPacket(key: Buffer, packet: Uint8Array): OpenedPacket | undefined {
  if (packet.length < HEAD_BYTES + TAG_BYTES) return undefined;
  const head = packet.subarray(0, HEAD_BYTES);
  const cipher = createDecipheriv('aes-256-gcm', key, nonceOf(head), { authTagLength: TAG_BYTES })
    .setAAD(head)
    .setAuthTag(packet.subarray(packet.length - TAG_BYTES));
  const content = cipher.update(packet.subarray(HEAD_BYTES, packet.length - TAG_BYTES));
  try {
    cipher.final();
  } catch {
    // Here, `final` throws only for a wrong tag.
    return undefined;
  }
  const number = Number(Buffer.from(head.buffer, head.byteOffset + 1, 8).readBigUInt64BE());
  return { kind: head[0] ?? 0, number, content };
}

/** Parts of a message and its last part count as one kind, since they share their numbers. */
function nonceOf(head: Uint8Array): Uint8Array {
  const nonce = new Uint8Array(12);
  nonce[0] = head[0] === PACKET.last ? PACKET.part : (head[0] ?? 0);
  nonce.set(head.subarray(1), 4);
  return nonce;
}
