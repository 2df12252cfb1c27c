import { createHash } from 'node:crypto';
import { type Identity, isSigned } from './identity.js';

/** Separates signatures by use, so that a signature for one use is invalid for another. */
export type Purpose =
  | 'join'
  | 'call'
  | 'taken'
  | 'answer'
  // Only on servers that others run.
  | 'invited'
  | 'beat'
  | 'leave'
  | 'ask'
  | 'directory'
  | 'reply';

/** Proofs of origin for the messages to one machine, and for the messages from it. */
export interface Seals {
  /** Returns a message for a purpose: its proof, a line feed, and the JSON that it covers byte by byte. */
  seal(purpose: Purpose, content: object): Uint8Array;
  /** Returns the content of a message; undefined unless the other machine has sealed it for this purpose. */
  unseal(bytes: Uint8Array, purpose: Purpose): unknown;
}

/** Messages that both machines sign. */
export function signatures(identity: Identity, publicKey: string): Seals {
  return {
    seal: (purpose, content) => seal(identity, purpose, content),
    unseal: (bytes, purpose) => unseal(bytes, purpose, publicKey),
  };
}

/** Returns a message with its signature: the signature, a line feed, and the JSON that it covers byte by byte. */
export function seal(identity: Identity, purpose: Purpose, content: object): Uint8Array {
  const json = JSON.stringify(content);
  return packet(identity.sign(coveredBy(purpose, json)), json);
}

/** Returns the content of a message; undefined unless the owner of `publicKey` has signed it for this purpose. */
export function unseal(bytes: Uint8Array, purpose: Purpose, publicKey: string): unknown {
  const { proof, json } = partsOf(bytes);
  return isSigned(coveredBy(purpose, json), proof, publicKey) ? parsed(json) : undefined;
}

/** Returns the content of a message without checking its proof, to learn which sender it claims. */
export function unchecked(bytes: Uint8Array): unknown {
  return parsed(partsOf(bytes).json);
}

export function sha256(bytes: Uint8Array | string): string {
  return createHash('sha256').update(bytes).digest('base64url');
}

/** Returns the bytes that a proof covers. */
export function coveredBy(purpose: Purpose, json: string): Uint8Array {
  return Buffer.from(`auto-terminal fleet ${purpose} 1\n${json}`);
}

export function packet(proof: string, json: string): Uint8Array {
  return Buffer.from(`${proof}\n${json}`);
}

export function partsOf(bytes: Uint8Array): { proof: string; json: string } {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString();
  const end = text.indexOf('\n');
  return { proof: text.slice(0, Math.max(0, end)), json: text.slice(end + 1) };
}

/** Returns undefined for text that is no JSON. */
export function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}
