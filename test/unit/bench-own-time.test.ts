import { describe, expect, it } from 'vitest';
import { OwnTime, type Seen } from '../../bench/support/own-time.js';

const BENCH = 1_000;
const seen = (pid: number, time: number, parent = BENCH, isDaemon = false): Seen => ({
  ...{ pid, time, parent, isDaemon },
});

describe('the processor time of a run', () => {
  it('is that of its living processes', () => {
    const own = new OwnTime();
    expect(own.take([seen(BENCH, 5), seen(2, 10)])).toBe(15);
    expect(own.take([seen(BENCH, 6), seen(2, 30)])).toBe(36);
  });

  it('has the time of an ended process once, by the parent that waits for it', () => {
    const own = new OwnTime();
    own.take([seen(BENCH, 5), seen(2, 10), seen(3, 20, 2)]);
    expect(own.take([seen(BENCH, 5), seen(2, 35)])).toBe(40);
    // Both processes end between two looks.
    own.take([seen(BENCH, 5), seen(2, 35), seen(4, 7, 2)]);
    expect(own.take([seen(BENCH, 49)])).toBe(49);
  });

  it('keeps the time of a daemon that outlives its parent', () => {
    const own = new OwnTime();
    own.take([seen(BENCH, 0), seen(2, 10), seen(3, 20, 2, true)]);
    // The daemon gets another parent when its own parent ends.
    expect(own.take([seen(BENCH, 10), seen(3, 25, 1, true)])).toBe(35);
    expect(own.take([seen(BENCH, 10)])).toBe(35);
  });

  it('keeps the time of a daemon that ends between the same looks as its parent', () => {
    const own = new OwnTime();
    own.take([seen(BENCH, 0), seen(2, 10), seen(3, 20, 2, true)]);
    expect(own.take([seen(BENCH, 10)])).toBe(30);
    expect(own.take([seen(BENCH, 11)])).toBe(31);
  });

  it('has the time of a daemon once whose parent waits for it', () => {
    const own = new OwnTime();
    own.take([seen(BENCH, 0), seen(2, 10), seen(3, 20, 2, true)]);
    expect(own.take([seen(BENCH, 0), seen(2, 30)])).toBe(30);
  });
});
