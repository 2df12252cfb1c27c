/** Routes that do their work once for each Idempotency-Key. */
const KEYED =
  /^\/api\/(fleet\/execute|terminals|terminals\/batch\/(run|create|input|execute)|terminals\/[^/]+\/(input|keys|execute|prompt))(\?|$)/;

/** Returns whether a request that is sent again with its Idempotency-Key is done once. */
export function isDoneOnce({ method, url }: { method: string; url: string }): boolean {
  return method === 'POST' && KEYED.test(url);
}
