/** Returns a signal that fires with the first of `signals`, for the same reason. `release` stops listening to them. */
export function joinedSignal(...signals: readonly (AbortSignal | undefined)[]): {
  signal: AbortSignal;
  release: () => void;
} {
  const joined = new AbortController();
  const release = () => {
    for (const signal of signals) signal?.removeEventListener('abort', end);
  };
  const end = () => {
    release();
    joined.abort(signals.find((signal) => signal?.aborted)?.reason);
  };
  for (const signal of signals) signal?.addEventListener('abort', end);
  if (signals.some((signal) => signal?.aborted)) end();
  return { signal: joined.signal, release };
}
