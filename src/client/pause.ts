import { joinedSignal } from './joined-signal.js';

/** Resolves after `ms` milliseconds; rejects with the reason of the first signal that fires. */
export function pause(ms: number, ...signals: (AbortSignal | undefined)[]): Promise<void> {
  const { signal, release } = joinedSignal(...signals);
  return new Promise((resolve, reject) => {
    const end = () => {
      clearTimeout(timer);
      release();
      if (signal.aborted) reject(signal.reason);
      else resolve();
    };
    const timer = setTimeout(end, ms);
    signal.addEventListener('abort', end);
    if (signal.aborted) end();
  });
}
