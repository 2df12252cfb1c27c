import { expect } from 'vitest';

/** The body of a failure that says this; the kind of it beside, as of every failure. */
export function failed(error: unknown = expect.any(String)): unknown {
  return expect.objectContaining({ error, code: expect.any(String) });
}
