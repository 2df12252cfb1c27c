import { expect } from 'vitest';

/** The body of a failure with this message, and the other fields of every failure. */
export function failed(error: unknown = expect.any(String)): unknown {
  return expect.objectContaining({ error, code: expect.any(String) });
}
