import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { KeyedMutex } from '../../src/actors/keyed-mutex.js';

const NEVER = new AbortController().signal;

/** Work that the test ends. */
class Work {
  hasBegun = false;
  end: (error?: Error) => void = () => {};
  readonly do = () => {
    this.hasBegun = true;
    return new Promise<string>((resolve, reject) => {
      this.end = (error) => (error ? reject(error) : resolve('done'));
    });
  };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

describe('turns', () => {
  it('come one after the other for one key, in the order they were asked for, and at once for others', async () => {
    const turns = new KeyedMutex();
    const [first, second, other] = [new Work(), new Work(), new Work()];
    const taken = [
      turns.take('a', NEVER, first.do),
      turns.take('a', NEVER, second.do),
      turns.take('b', NEVER, other.do),
    ];
    await turn();
    expect([first.hasBegun, second.hasBegun, other.hasBegun, turns.size]).toEqual([true, false, true, 2]);
    first.end();
    await turn();
    expect([second.hasBegun, turns.size]).toEqual([true, 2]);
    second.end();
    other.end();
    expect(await Promise.all(taken)).toEqual(['done', 'done', 'done']);
    await turn();
    expect(turns.size).toBe(0);
  });

  it('go on after work that fails', async () => {
    const turns = new KeyedMutex();
    const work = new Work();
    const failing = turns.take('a', NEVER, work.do);
    const next = turns.take('a', NEVER, async () => 'next');
    await turn();
    work.end(new Error('broken'));
    await expect(failing).rejects.toThrow('broken');
    expect(await next).toBe('next');
  });

  it('may be given up, and those behind still wait for those before', async () => {
    const turns = new KeyedMutex();
    const [first, second, third] = [new Work(), new Work(), new Work()];
    const controller = new AbortController();
    void turns.take('a', NEVER, first.do);
    const givenUp = turns.take('a', controller.signal, second.do);
    void turns.take('a', NEVER, third.do);
    controller.abort(new Error('left'));
    await expect(givenUp).rejects.toThrow('left');
    await expect(turns.take('a', controller.signal, second.do)).rejects.toThrow('left');
    expect([second.hasBegun, third.hasBegun]).toEqual([false, false]);
    first.end();
    await turn();
    expect(third.hasBegun).toBe(true);
    third.end();
    await turn();
    expect(turns.size).toBe(0);
  });

  it('never overlap, and leave nothing behind, whichever are given up or fail', async () => {
    const step = fc.record({
      key: fc.constantFrom('a', 'b'),
      turns: fc.nat(3),
      fails: fc.boolean(),
      leaves: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 20 }), async (steps) => {
        const turns = new KeyedMutex();
        const busy = new Set<string>();
        const taken = steps.map(({ key, turns: length, fails, leaves }) => {
          const controller = new AbortController();
          const work = async () => {
            expect(busy.has(key)).toBe(false);
            busy.add(key);
            for (let left = length; left > 0; left--) await turn();
            busy.delete(key);
            if (fails) throw new Error('failed');
          };
          const result = turns.take(key, controller.signal, work);
          if (leaves) controller.abort(new Error('left'));
          return result;
        });
        for (const result of await Promise.allSettled(taken))
          if (result.status === 'rejected') expect(String(result.reason)).toMatch(/failed|left/);
        await turn();
        expect(turns.size).toBe(0);
      }),
    );
  });
});
