/** Resolves after `ms` milliseconds; rejects with the reason of the first signal that fires. */
export function pause(ms: number, ...signals: (AbortSignal | undefined)[]): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = () => {
      clearTimeout(timer);
      for (const signal of signals) signal?.removeEventListener('abort', end);
      const fired = signals.find((signal) => signal?.aborted);
      if (fired) reject(fired.reason);
      else resolve();
    };
    const timer = setTimeout(end, ms);
    for (const signal of signals) signal?.addEventListener('abort', end, { once: true });
    if (signals.some((signal) => signal?.aborted)) end();
  });
}
