import { describe, expect, it } from 'vitest';
import { abortable, pause, unlessAborted } from '../../src/actors/abortable.js';

describe('work that a caller may leave', () => {
  it('ends with its result, its fault, or at once with the reason', async () => {
    const controller = new AbortController();
    expect(await unlessAborted(Promise.resolve(1), controller.signal)).toBe(1);
    await expect(unlessAborted(Promise.reject(new Error('broken')), controller.signal)).rejects.toThrow(
      'broken',
    );
    const left = unlessAborted(new Promise(() => {}), controller.signal);
    controller.abort(new Error('left'));
    await expect(left).rejects.toThrow('left');
    // The later outcome of the promise is ignored, even a failure.
    await expect(unlessAborted(Promise.reject(new Error('broken')), controller.signal)).rejects.toThrow(
      'left',
    );
  });
});

describe('a promise that a signal ends', () => {
  /** Makes an abortable promise, and counts how often it begins and how often it is released. */
  function made(signal: AbortSignal) {
    const counts = { begun: 0, released: 0 };
    let settle = { resolve: (_result: string) => {}, reject: (_reason: unknown) => {} };
    const promise = abortable<string>(signal, (resolve, reject) => {
      counts.begun++;
      settle = { resolve, reject };
      return () => {
        counts.released++;
      };
    });
    promise.catch(() => undefined);
    return { promise, counts, resolve: settle.resolve, reject: settle.reject };
  }

  it('releases once, whatever settles it first', async () => {
    for (const first of ['resolve', 'reject', 'abort'] as const) {
      const controller = new AbortController();
      const { promise, counts, resolve, reject } = made(controller.signal);
      if (first === 'resolve') resolve('done');
      else if (first === 'reject') reject(new Error('broken'));
      else controller.abort(new Error('left'));
      resolve('late');
      reject(new Error('late'));
      controller.abort(new Error('late'));
      const end = await promise.catch((error: Error) => error.message);
      expect(end).toBe({ resolve: 'done', reject: 'broken', abort: 'left' }[first]);
      expect(counts).toEqual({ begun: 1, released: 1 });
    }
  });

  it('does not begin once the signal has fired', async () => {
    const { promise, counts } = made(AbortSignal.abort(new Error('left')));
    await expect(promise).rejects.toThrow('left');
    expect(counts).toEqual({ begun: 0, released: 0 });
  });

  it('pauses for its time, and no longer than the signal lets it', async () => {
    await pause(0, new AbortController().signal);
    const controller = new AbortController();
    const long = pause(3_600_000, controller.signal);
    controller.abort(new Error('left'));
    await expect(long).rejects.toThrow('left');
  });
});
