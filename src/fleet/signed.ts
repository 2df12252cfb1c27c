import { createHash } from 'node:crypto';
import { type Identity, isSigned } from './identity.js';

/** Separates what is signed for different uses, so that a signature of one is none of another. */
export type Purpose =
  | 'join'
  | 'call'
  | 'taken'
  | 'answer'
  // On servers of others alone.
  | 'invited'
  | 'beat'
  | 'leave'
  | 'ask'
  | 'directory'
  | 'reply';

/** Returns a message with its signature: the signature, a line feed, and the JSON that it covers byte by byte. */
export function seal(identity: Identity, purpose: Purpose, content: object): Uint8Array {
  const json = JSON.stringify(content);
  return Buffer.from(`${identity.sign(coveredBy(purpose, json))}\n${json}`);
}

/** Returns the content of a message; undefined unless the owner of `publicKey` has signed it for this purpose. */
export function unseal(bytes: Uint8Array, purpose: Purpose, publicKey: string): unknown {
  const { signature, json } = partsOf(bytes);
  return isSigned(coveredBy(purpose, json), signature, publicKey) ? parsed(json) : undefined;
}

/** Returns what a message says without a look at its signature, to learn whose it claims to be. */
export function unchecked(bytes: Uint8Array): unknown {
  return parsed(partsOf(bytes).json);
}

export function sha256(bytes: Uint8Array | string): string {
  return createHash('sha256').update(bytes).digest('base64url');
}

function coveredBy(purpose: Purpose, json: string): Uint8Array {
  return Buffer.from(`auto-terminal fleet ${purpose} 1\n${json}`);
}

function partsOf(bytes: Uint8Array): { signature: string; json: string } {
  const text = Buffer.from(bytes).toString();
  const end = text.indexOf('\n');
  return { signature: text.slice(0, Math.max(0, end)), json: text.slice(end + 1) };
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}
