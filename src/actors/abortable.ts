/**
 * Makes a promise that `begin` settles, and that rejects with the signal's reason as soon as that fires. `begin` returns
 * a function that releases what waits, which is called once, when the promise settles. If the signal has fired already,
 * `begin` is not called; it must not settle the promise before it returns.
 */
export function abortable<Result>(
  signal: AbortSignal,
  begin: (resolve: (result: Result) => void, reject: (reason: unknown) => void) => () => void,
): Promise<Result> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) {
      reject(signal.reason);
      return;
    }
    let isSettled = false;
    const settle = () => {
      if (isSettled) return;
      isSettled = true;
      signal.removeEventListener('abort', abort);
      release();
    };
    const abort = () => {
      settle();
      reject(signal.reason);
    };
    signal.addEventListener('abort', abort, { once: true });
    const release = begin(
      (result) => {
        settle();
        resolve(result);
      },
      (reason) => {
        settle();
        reject(reason);
      },
    );
  });
}

/**
 * Resolves with the result of the work. Rejects with the signal's reason as soon as that fires; the work itself
 * continues.
 */
export function unlessAborted<Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result> {
  // If the signal has fired already, nothing else handles a rejection of the work, in which nobody is interested then.
  work.catch(() => undefined);
  return abortable(signal, (resolve, reject) => {
    work.then(resolve, reject);
    return () => undefined;
  });
}

/** Resolves after `ms` milliseconds, for 0 in a later turn of the event loop; rejects with the signal's reason. */
export function pause(ms: number, signal: AbortSignal): Promise<void> {
  return abortable(signal, (resolve) => {
    const timer = setTimeout(resolve, ms);
    return () => clearTimeout(timer);
  });
}
