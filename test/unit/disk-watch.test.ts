import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { DiskWatch } from '#dist/actors/disk-watch.js';
import type { Disk } from '#dist/store/disk.js';

const MiB = 1024 * 1024;
const TOTAL = 1_000_000 * MiB;

let disk: Disk | Error;
let logged: string[];
let changes: boolean[];
let watch: DiskWatch;

beforeEach(() => {
  vi.useFakeTimers();
  disk = { free: TOTAL / 2, total: TOTAL };
  logged = [];
  changes = [];
  const log = (_fields: unknown, message: string) => void logged.push(message);
  const ask = async () => {
    if (disk instanceof Error) throw disk;
    return disk;
  };
  watch = new DiskWatch({ folder: '/', logger: { warn: log, info: log } as never, ask });
  watch.onChanged(() => changes.push(watch.isLow));
});
afterEach(() => {
  watch.stop();
  vi.useRealTimers();
});

async function becomes(next: Disk | Error): Promise<void> {
  disk = next;
  await vi.advanceTimersByTimeAsync(1_000);
}

describe('the disk watch', () => {
  it('reports low before the last 64 MiB, and enough only with some more room', async () => {
    await watch.start();
    expect([watch.isLow, watch.isFull, watch.freeBytes]).toEqual([false, false, TOTAL / 2]);
    await becomes({ free: 64 * MiB, total: TOTAL });
    expect(watch.isLow).toBe(false);
    await becomes({ free: 64 * MiB - 1, total: TOTAL });
    expect([watch.isLow, watch.isFull]).toEqual([true, false]);
    await becomes({ free: 70 * MiB, total: TOTAL });
    expect(watch.isLow).toBe(true);
    await becomes({ free: 15 * MiB, total: TOTAL });
    expect([watch.isLow, watch.isFull]).toEqual([true, true]);
    await becomes({ free: 80 * MiB, total: TOTAL });
    expect([watch.isLow, watch.isFull]).toEqual([false, false]);
    expect(changes).toEqual([true, false]);
    expect(logged).toHaveLength(2);
  });

  it('keeps an eighth of a small volume free', async () => {
    disk = { free: 3 * MiB, total: 20 * MiB };
    await watch.start();
    expect(watch.isLow).toBe(false);
    await becomes({ free: 2 * MiB, total: 20 * MiB });
    expect([watch.isLow, watch.isFull]).toEqual([true, false]);
    await becomes({ free: MiB / 2, total: 20 * MiB });
    expect(watch.isFull).toBe(true);
  });

  it('counts an unknown disk as one with room, and logs it once', async () => {
    disk = { free: 0, total: TOTAL };
    await watch.start();
    await becomes(new Error('EIO'));
    await becomes(new Error('EIO'));
    expect([watch.isLow, watch.isFull, watch.freeBytes]).toEqual([false, false, undefined]);
    expect(logged.filter((message) => message.includes('cannot be determined'))).toHaveLength(1);
  });
});
