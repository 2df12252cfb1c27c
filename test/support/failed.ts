import { expect } from 'vitest';

/** Matches the body of a failure with this message, and the code that every failure has. */
export function failed(error: unknown = expect.any(String)): unknown {
  return expect.objectContaining({ error, code: expect.any(String) });
}
