/** Headers of an answer that pass from machine to machine. Others are of this service alone, such as those for browsers. */
const PASSED = ['content-type', 'content-disposition', 'idempotent-replayed', 'retry-after'];

/** What the text of a header may be; anything else would throw where it is written. */
const TEXT = /^[\t\x20-\x7e\x80-\xff]*$/;

/** Returns the headers that pass, on both sides: the other machine may send any. */
export function passedHeaders(headers: NodeJS.Dict<number | string | string[]>): Record<string, string> {
  const kept = PASSED.flatMap((name) => {
    const value = headers[name];
    return value !== undefined && TEXT.test(String(value)) ? [[name, String(value)] as const] : [];
  });
  return Object.fromEntries(kept);
}
