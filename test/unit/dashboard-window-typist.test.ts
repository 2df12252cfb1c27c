import { expect, test, vi } from 'vitest';

// A page's module reads its address when it is loaded.
vi.stubGlobal('location', { origin: 'http://localhost' });
const { WindowTypist } = await import('../../dashboard/src/terminal/window-typist.js');

test('a window that was left waits 30 s at most for a service that does not answer', async () => {
  vi.useFakeTimers();
  try {
    const typist = new WindowTypist(
      () => new Promise<never>(() => undefined),
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
