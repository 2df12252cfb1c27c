/** Checks without a test runner, for cases that run in other runtimes. */

/** Throws `what` unless `holds`. */
export function check(holds: boolean, what: string): void {
  if (!holds) throw new Error(what);
}

/** Throws unless both values have the same JSON. */
export function isLike(actual: unknown, expected: unknown): void {
  const [is, should] = [JSON.stringify(actual), JSON.stringify(expected)];
  check(is === should, `${is} is not ${should}`);
}

/** Resolves with the reason for which a call rejects; throws if it does not. */
export async function rejection(call: PromiseLike<unknown>): Promise<unknown> {
  return call.then(
    (value) => {
      throw new Error(`it resolved with ${JSON.stringify(value)}`);
    },
    (reason: unknown) => reason,
  );
}

const DEADLINE_MS = 60_000;

/** Resolves once the condition holds. */
export async function eventually(what: string, condition: () => boolean): Promise<void> {
  const deadline = performance.now() + DEADLINE_MS;
  while (!condition()) {
    check(performance.now() < deadline, `not in time: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

/** Rejects if the work takes too long. */
export async function inTime(work: Promise<void>): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error('it does not end')), DEADLINE_MS);
  });
  await Promise.race([work, late]).finally(() => clearTimeout(timer));
}
