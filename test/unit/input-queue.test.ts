import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { MAX_PENDING_INPUT_BYTES } from '../../src/contract/limits.js';
import { InputQueue } from '../../src/workers/shard/input-queue.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function create(before = { written: 0, accepted: 0 }) {
  const sent: string[] = [];
  const queue = new InputQueue({ ...before, write: (bytes) => sent.push(Buffer.from(bytes).toString()) });
  return { queue, sent, total: () => sent.join('').length };
}

describe('InputQueue', () => {
  it('waits for the program to have the paste, then the delay, and lets nothing in between', () => {
    const { queue, sent, total } = create();
    queue.push([{ data: 'paste' }, { data: '\r', delayMs: 150 }]);
    queue.push([{ data: 'next' }]);
    vi.advanceTimersByTime(1_000);
    expect(sent).toEqual(['paste']);
    queue.written(total());
    vi.advanceTimersByTime(149);
    queue.reply('\x1b[0n');
    expect(sent).toEqual(['paste']);
    vi.advanceTimersByTime(1);
    expect(sent.join('|')).toBe('paste|\rnext\x1b[0n');
  });

  it('refuses whole what is over the bound, and takes the bound itself', () => {
    const { queue, sent, total } = create();
    queue.push([{ data: 'x'.repeat(MAX_PENDING_INPUT_BYTES) }]);
    expect(() => queue.push([{ data: 'y'.repeat(100) }])).toThrow('Input buffer full');
    expect(total()).toBe(MAX_PENDING_INPUT_BYTES);
    queue.written(100);
    queue.push([{ data: 'y'.repeat(100) }]);
    expect(sent.at(-1)).toBe('y'.repeat(100));
  });

  it('counts what the pty host has accepted from another shard', () => {
    const { queue, sent } = create({ written: 1_000, accepted: 1_000 + MAX_PENDING_INPUT_BYTES - 10 });
    expect(() => queue.push([{ data: 'y'.repeat(200) }])).toThrow('Input buffer full');
    queue.push([{ data: 'a' }, { data: '\r', delayMs: 1 }]);
    vi.advanceTimersByTime(10);
    expect(sent).toEqual(['a']);
    queue.written(1_000 + MAX_PENDING_INPUT_BYTES - 9);
    vi.advanceTimersByTime(1);
    expect(sent).toEqual(['a', '\r']);
  });

  it('stays small under many small writes behind one that waits', () => {
    const { queue, sent } = create();
    queue.push([{ data: 'paste' }, { data: '\r', delayMs: 10 }]);
    for (let index = 0; index < 20_000; index++) queue.push([{ data: 'z' }]);
    queue.written(5);
    vi.advanceTimersByTime(10);
    expect(sent.length).toBeLessThan(10);
    expect(sent.join('')).toBe(`paste\r${'z'.repeat(20_000)}`);
  });

  it('charges what waits behind a delay, too', () => {
    const { queue } = create();
    queue.push([{ data: 'paste' }, { data: '\r', delayMs: 10 }]);
    queue.push([{ data: 'x'.repeat(MAX_PENDING_INPUT_BYTES - 10) }]);
    expect(() => queue.push([{ data: 'y'.repeat(200) }])).toThrow('Input buffer full');
  });

  it('drops replies where nobody reads, and everything at the end', () => {
    const { queue, sent } = create();
    queue.push([{ data: 'x'.repeat(MAX_PENDING_INPUT_BYTES) }]);
    queue.reply('\x1b[0n');
    queue.push([{ data: '' }, { data: '\r', delayMs: 5 }]);
    queue.stop();
    queue.written(MAX_PENDING_INPUT_BYTES);
    vi.advanceTimersByTime(100);
    expect(sent).toHaveLength(1);
  });
});
