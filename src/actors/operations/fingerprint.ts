import { createHash } from 'node:crypto';

/** Paths and bodies may be long; what is kept of them is not. */
export function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('base64url');
}

/** Of a body after its validation: how its fields were written, and in which order, makes no difference. */
export function fingerprintOf(body: unknown): string {
  return hashOf(JSON.stringify(body, (_key, value: unknown) => inOrder(value)) ?? '');
}

/** An object with its keys in order; anything else as it is. */
function inOrder(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)));
}
