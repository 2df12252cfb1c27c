import { Writers } from '#dist/gateway/writers.js';

/** Returns writers about whom the service knows nothing, under the default setting. */
export function anonymousWriters(): Writers {
  return new Writers({
    callers: { now: () => ({ terminalId: null, pid: null, verified: false, via: 'none' }) },
    terminals: {
      get: () => {
        throw new Error('nobody is in a terminal');
      },
    },
    access: { refusal: () => undefined },
    protectHumans: () => 'off',
  });
}
