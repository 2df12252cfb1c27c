import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { SWEEP_MS } from '../../src/contract/limits.js';
import type { Epoll } from '../../src/workers/pty-host/pty/epoll.js';
import { Sweep } from '../../src/workers/pty-host/pty/sweep.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** An epoll whose readable descriptors the test sets. */
class System implements Epoll {
  readonly watched = new Set<number>();
  readable: number[] = [];
  isFull = false;

  add(fd: number): boolean {
    if (!this.isFull) this.watched.add(fd);
    return !this.isFull;
  }

  remove(fd: number): void {
    this.watched.delete(fd);
  }

  ready(): number[] {
    return this.readable.filter((fd) => this.watched.has(fd));
  }
}

function setUp() {
  const system = new System();
  const sweep = new Sweep(system, () => Date.now());
  const told: string[] = [];
  const reader = (fd: number, swept: () => void = () => sweep.counts()) => {
    const own = {
      fd,
      swept: () => {
        told.push(`read ${fd}`);
        swept();
      },
      unswept: () => {
        told.push(`back ${fd}`);
        sweep.remove(own);
      },
    };
    return own;
  };
  /** Counts this many reads in a window, and begins the next window. */
  const window = (reads: number) => {
    for (let read = 1; read < reads; read++) sweep.counts();
    vi.setSystemTime(Date.now() + 250);
    return sweep.counts();
  };
  return { system, sweep, told, reader, window };
}

test('begins with a hundred reads in a quarter of a second, and goes on above fifty', () => {
  const { sweep, window } = setUp();
  expect(sweep.counts()).toBe(false);
  expect(window(99)).toBe(false);
  expect(window(100)).toBe(true);
  expect(window(50)).toBe(true);
  expect(window(49)).toBe(false);
  expect(window(99)).toBe(false);
});

test('reads what is readable after each pause, until there is little to read', () => {
  const { system, sweep, told, reader, window } = setUp();
  window(100);
  window(100);
  for (const fd of [5, 6]) expect(sweep.add(reader(fd))).toBe(true);
  system.readable = [6];
  vi.advanceTimersByTime(SWEEP_MS);
  expect(told).toEqual(['read 6']);
  system.readable = [];
  vi.advanceTimersByTime(SWEEP_MS);
  expect(told).toEqual(['read 6']);
  // Nothing is read for a whole window, so no reads count then.
  vi.advanceTimersByTime(600);
  expect(told).toEqual(['read 6', 'back 5', 'back 6']);
  expect([...system.watched]).toEqual([]);
  vi.advanceTimersByTime(SWEEP_MS);
  expect(vi.getTimerCount()).toBe(0);
});

test('does not read what another reader has just taken out', () => {
  const { system, sweep, told, reader, window } = setUp();
  window(100);
  window(100);
  const second = reader(6);
  sweep.add(reader(5, () => sweep.remove(second)));
  sweep.add(second);
  system.readable = [5, 6];
  vi.advanceTimersByTime(SWEEP_MS);
  expect(told).toEqual(['read 5']);
});

test('goes on after a reader has failed', () => {
  const { system, sweep, told, reader, window } = setUp();
  window(100);
  window(100);
  sweep.add(
    reader(5, () => {
      throw new Error('failed');
    }),
  );
  system.readable = [5];
  expect(() => vi.advanceTimersByTime(SWEEP_MS)).toThrow('failed');
  expect(() => vi.advanceTimersByTime(SWEEP_MS)).toThrow('failed');
  expect(told).toEqual(['read 5', 'read 5']);
});

test('takes nothing over that the system does not watch', () => {
  const { system, sweep, reader } = setUp();
  system.isFull = true;
  expect(sweep.add(reader(5))).toBe(false);
  expect(new Sweep(undefined).add(reader(5))).toBe(false);
  expect(vi.getTimerCount()).toBe(0);
});
