import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { RunHandle, Selection } from '../../src/client/browser.js';

/** Not checked with the types of this folder, which lack those of pages. */
const PAGES: string = '../../dashboard/src';

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal('location', { origin: 'http://127.0.0.1:1' });
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

it('shows the final output alone where the stream of a run has broken just before its end', async () => {
  const { service } = await import(`${PAGES}/service.js`);
  const { runBatch, useBatch } = await import(`${PAGES}/batch/batch-run.js`);
  const place = { terminalId: 't', success: true, done: true, exitCode: 0, durationMs: 1 };
  const result = { ...place, raw: 'one\n', truncated: false, integration: 'shell', waitedBy: null };
  const run = {
    async *stream() {
      yield { type: 'output', terminalId: 't', text: 'one\n' };
      throw new Error('the connection broke');
    },
    ended: async () => ({ results: [result] }),
  };
  vi.spyOn(service, 'select').mockReturnValue({
    start: async () => run as unknown as RunHandle,
  } as unknown as Selection);
  await runBatch({ command: 'echo one', select: 'a=b', names: new Map([['t', 'one']]), timeoutMs: 1_000 });
  // Not all timers: other tests of this process have some that never end.
  await vi.advanceTimersByTimeAsync(1_000);
  expect(useBatch.getState()).toMatchObject({ state: 'over', error: undefined });
  expect(useBatch.getState().rows.get('t')?.output).toBe('one\n');
});
