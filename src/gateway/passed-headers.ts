/** Headers of an answer that pass from machine to machine. Others, such as headers for browsers, stay with one service. */
const PASSED = ['content-type', 'content-disposition', 'idempotent-replayed', 'retry-after'];

/** Valid text of a header: any other text would throw where the header is written. */
const TEXT = /^[\t\x20-\x7e\x80-\xff]*$/;

/** Returns the headers that pass. Both sides call this, since the other machine may send any header. */
export function passedHeaders(headers: NodeJS.Dict<number | string | string[]>): Record<string, string> {
  const kept = PASSED.flatMap((name) => {
    const value = headers[name];
    return value !== undefined && TEXT.test(String(value)) ? [[name, String(value)] as const] : [];
  });
  return Object.fromEntries(kept);
}
