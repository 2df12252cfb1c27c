import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { MAX_PENDING_INPUT_BYTES } from '../../src/contract/limits.js';
import { InputQueue } from '../../src/workers/pty-host/pty/input-queue.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A queue before a PTY whose program reads when the test asks it to. */
function create() {
  const sent: string[] = [];
  const target = {
    pendingInput: 0,
    written: 0,
    hiddenEnd: 0,
    write: (bytes: Uint8Array) => {
      sent.push(Buffer.from(bytes).toString());
      target.pendingInput += bytes.length;
      // As with a PTY, which takes some bytes within the write: the queue advances before the write returns.
      queue.advance();
    },
  };
  const queue = new InputQueue(target);
  const read = (bytes = target.pendingInput) => {
    target.pendingInput -= bytes;
    target.written += bytes;
    queue.advance();
  };
  const push = (parts: Array<{ data: string; delayMs?: number }>) =>
    queue.push(parts.map(({ data, delayMs = 0 }) => ({ bytes: Buffer.from(data), delayMs })));
  return { queue, target, push, sent, read };
}

describe('InputQueue', () => {
  it('waits until the program has read the paste, then for the delay, and lets nothing in between', () => {
    const { queue, push, sent, read } = create();
    push([{ data: 'paste' }, { data: '\r', delayMs: 150 }]);
    push([{ data: 'next' }]);
    vi.advanceTimersByTime(1_000);
    expect(sent).toEqual(['paste']);
    read();
    vi.advanceTimersByTime(149);
    queue.reply(Buffer.from('\x1b[0n'));
    expect(sent).toEqual(['paste']);
    vi.advanceTimersByTime(1);
    expect(sent.join('|')).toBe('paste|\rnext\x1b[0n');
  });

  it('refuses whole requests over the bound, and accepts the bound itself', () => {
    const { push, sent, read } = create();
    push([{ data: 'x'.repeat(MAX_PENDING_INPUT_BYTES) }]);
    expect(() => push([{ data: 'y'.repeat(100) }])).toThrow('Input buffer full');
    expect(sent.join('').length).toBe(MAX_PENDING_INPUT_BYTES);
    read(100);
    push([{ data: 'y'.repeat(100) }]);
    expect(sent.at(-1)).toBe('y'.repeat(100));
  });

  it('stays small under many small writes behind a waiting write', () => {
    const { push, sent, read } = create();
    push([{ data: 'paste' }, { data: '\r', delayMs: 10 }]);
    for (let index = 0; index < 20_000; index++) push([{ data: 'z' }]);
    read();
    vi.advanceTimersByTime(10);
    expect(sent.length).toBeLessThan(10);
    expect(sent.join('')).toBe(`paste\r${'z'.repeat(20_000)}`);
  });

  it('charges for input that waits behind a delay, too', () => {
    const { push } = create();
    push([{ data: 'paste' }, { data: '\r', delayMs: 10 }]);
    push([{ data: 'x'.repeat(MAX_PENDING_INPUT_BYTES - 10) }]);
    expect(() => push([{ data: 'y'.repeat(200) }])).toThrow('Input buffer full');
  });

  it('drops replies if the program does not read, and everything at the end', () => {
    const { queue, push, sent, read } = create();
    push([{ data: 'x'.repeat(MAX_PENDING_INPUT_BYTES) }]);
    queue.reply(Buffer.from('\x1b[0n'));
    push([{ data: '' }, { data: '\r', delayMs: 5 }]);
    queue.stop();
    read();
    vi.advanceTimersByTime(100);
    expect(sent).toHaveLength(1);
  });

  it('reports for each request, once all of it is written, whether the terminal hid any of it', () => {
    const { queue, target, read } = create();
    const told: unknown[] = [];
    const push = (name: string, ...parts: Array<{ data: string; delayMs?: number }>) =>
      queue.push(
        parts.map(({ data, delayMs = 0 }) => ({ bytes: Buffer.from(data), delayMs })),
        (isHidden) => told.push([name, isHidden]),
      );
    push('first', { data: 'abc' });
    push('paste', { data: 'de' }, { data: '\r', delayMs: 10 });
    push('secret', { data: 'fgh' });
    push('nothing');
    expect(told).toEqual([]);
    read(3);
    expect(told).toEqual([['first', false]]);
    read(2);
    vi.advanceTimersByTime(10);
    queue.reply(Buffer.from('answer'));
    target.hiddenEnd = 8;
    read(2);
    expect(told.slice(1)).toEqual([['paste', true]]);
    target.hiddenEnd = 8;
    read();
    expect(told.slice(2)).toEqual([
      ['secret', true],
      ['nothing', false],
    ]);
    push('shown', { data: 'xyz' });
    read();
    push('dropped', { data: 'xyz' });
    queue.stop();
    expect(told.slice(4)).toEqual([
      ['shown', false],
      ['dropped', true],
    ]);
  });
});
