import { expect, test, vi } from 'vitest';
import { WindowTypist } from '../../dashboard/src/terminal/window-typist.js';

test('a window that was left waits 30 s at most for a service that does not answer', async () => {
  vi.useFakeTimers();
  try {
    const typist = new WindowTypist(
      () => new Promise<never>(() => undefined),
      () => undefined,
      () => undefined,
    );
    typist.isOpen = true;
    typist.type('text');
    const hasLeft = vi.fn();
    void typist.leave().then(hasLeft);
    await vi.advanceTimersByTimeAsync(29_999);
    expect(hasLeft).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1);
    expect(hasLeft).toHaveBeenCalledOnce();
  } finally {
    vi.useRealTimers();
  }
});
