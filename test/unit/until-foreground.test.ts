import { expect, test } from 'vitest';
import type { QuietParts } from '#dist/actors/waits/quiet.js';
import { untilForeground } from '#dist/actors/waits/quiet.js';

const IDLE_MS = 100;

/** A quiet terminal whose shell rests; each look finds the next position, then the last one again. */
function quietAt(positions: number[]) {
  let looks = 0;
  const parts = {
    terminals: { startOf: () => ({ pid: 1 }), readAll: async () => ({ position: 0, isWhole: true }) },
    screens: {
      until: (
        _id: string,
        awaited: { kind: string; after?: number },
        _leftMs: unknown,
        signal: AbortSignal,
      ) =>
        awaited.kind === 'idle' || awaited.after === -1
          ? Promise.resolve({})
          : new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
      place: async () => ({ quietMs: IDLE_MS, position: positions[Math.min(looks++, positions.length - 1)] }),
    },
    foreground: { rests: async () => 'rests' as const },
  };
  return { parts: parts as unknown as QuietParts, looks: () => looks };
}

test.each([
  ['one that has printed nothing', [10], 2],
  ['one whose shard was replaced meanwhile, which missed what was printed', [10, 20, 20, 20], 4],
])('of %s the shell is in the foreground', async (_name, positions, looks) => {
  const terminal = quietAt(positions);
  const scope = { signal: new AbortController().signal, leftMs: 1_000 };
  expect(await untilForeground(terminal.parts, 'term', IDLE_MS, scope)).toBe('foreground');
  expect(terminal.looks()).toBe(looks);
});
