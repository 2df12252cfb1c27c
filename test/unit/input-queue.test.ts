import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { MAX_PENDING_INPUT_BYTES } from '../../src/contract/limits.js';
import { InputQueue } from '../../src/workers/shard/input-queue.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function create() {
  const sent: string[] = [];
  const queue = new InputQueue({ written: 0, write: (bytes) => sent.push(Buffer.from(bytes).toString()) });
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
    expect(sent).toEqual(['paste', '\r', 'next', '\x1b[0n']);
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
