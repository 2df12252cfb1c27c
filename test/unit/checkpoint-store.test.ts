import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { CheckpointStore } from '../../src/workers/pty-host/log/checkpoint-store.js';
import { TerminalLog } from '../../src/workers/pty-host/log/terminal-log.js';
import { CountedSpill } from '../support/counted-spill.js';

const LARGE = 10_000;
/** Time after which a checkpoint counts as settled. */
const STOOD_MS = 4_000;

let spill: CountedSpill;
let logged: string[];
let store: CheckpointStore;
beforeEach(() => {
  vi.useFakeTimers();
  spill = new CountedSpill();
  logged = [];
  store = new CheckpointStore({ spill, log: (message) => void logged.push(message) });
});
afterEach(() => vi.useRealTimers());

const filled = (value: number, length = LARGE) => new Uint8Array(length).fill(value);

describe('a checkpoint', () => {
  it('goes to disk once it has settled, and is read back byte for byte', () => {
    const bytes = Uint8Array.from({ length: LARGE }, (_, index) => index % 251);
    const kept = store.put(bytes.slice());
    vi.advanceTimersByTime(STOOD_MS / 2);
    expect([kept.residentBytes, spill.puts]).toEqual([LARGE, 0]);
    vi.advanceTimersByTime(STOOD_MS / 2);
    expect([kept.residentBytes, spill.puts]).toEqual([0, 1]);
    expect(kept.read()).toEqual(bytes);
    expect(kept.read()).toEqual(bytes);
    kept.free();
    kept.free();
    expect(spill.held.size).toBe(0);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('never goes to disk while it moves all the time, nor if it is short', () => {
    const log = new TerminalLog(80, 24, { checkpoints: store });
    log.append(filled(65, 1_000));
    for (let position = 1; position < 1_000; position++) {
      log.setCheckpoint({ position, cols: 80, rows: 24, bytes: filled(position % 256) });
      vi.advanceTimersByTime(STOOD_MS / 4 - 1);
    }
    expect(spill.puts).toBe(0);
    log.setCheckpoint({ position: 1_000, cols: 80, rows: 24, bytes: filled(1, 1_000) });
    vi.advanceTimersByTime(10 * STOOD_MS);
    expect(spill.puts).toBe(0);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('frees its place when it moves, and when its terminal is closed', () => {
    const logs = Array.from({ length: 1_000 }, () => new TerminalLog(80, 24, { checkpoints: store }));
    for (const [index, log] of logs.entries()) {
      log.append(filled(65, 10));
      log.setCheckpoint({ position: 5, cols: 80, rows: 24, bytes: filled(index % 256) });
    }
    // The writes take several turns of the loop, so that no terminal waits for the writes of all others.
    vi.advanceTimersByTime(STOOD_MS);
    expect(spill.puts).toBeLessThan(200);
    vi.advanceTimersByTime(STOOD_MS);
    expect(spill.held.size).toBe(1_000);
    expect(vi.getTimerCount()).toBe(0);
    for (const [index, log] of logs.entries())
      expect(Buffer.compare(log.checkpoint.kept.read(), filled(index % 256))).toBe(0);
    logs[0]!.setCheckpoint({ position: 6, cols: 80, rows: 24, bytes: filled(7) });
    expect(spill.held.size).toBe(999);
    for (const log of logs) log.clear();
    expect(spill.held.size).toBe(0);
    vi.advanceTimersByTime(STOOD_MS);
    expect(spill.held.size).toBe(0);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('is an empty one, and logged, if the disk does not return it', () => {
    const kept = store.put(filled(1));
    vi.advanceTimersByTime(STOOD_MS);
    spill.isBroken = true;
    expect(kept.read()).toHaveLength(0);
    expect(logged).toEqual([expect.stringContaining('EIO')]);
  });
});
