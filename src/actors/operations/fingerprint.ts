import { createHash, createHmac } from 'node:crypto';

/** Paths and bodies may be long; what is kept of them is not. */
export function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('base64url');
}

/**
 * Of a body after its validation: how its fields were written, and in which order, makes no difference. The scope, of
 * which the disk has a hash alone, goes in as a key: a short secret in a body cannot be guessed from what is kept.
 */
export function fingerprintOf(scope: string, body: unknown): string {
  const text = JSON.stringify(body, (_key, value: unknown) => inOrder(value)) ?? '';
  return createHmac('sha256', scope).update(text).digest('base64url');
}

/** An object with its keys in order; anything else as it is. */
function inOrder(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)));
}
