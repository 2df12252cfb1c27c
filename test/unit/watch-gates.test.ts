import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { RegexLines } from '../../src/actors/watches/regex-lines.js';
import { WatchGates } from '../../src/actors/watches/watch-gates.js';

const settled = () => new Promise((resolve) => setImmediate(resolve));

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }));
afterEach(() => void vi.useRealTimers());

describe('the gates of a watch', () => {
  const open = () => {
    const told: [string, number][] = [];
    const gates = new WatchGates({
      ...{ debounceMs: 1_000, maxPerMinute: 100 },
      now: () => performance.now(),
      onDue: (terminalId, { count }) => void told.push([terminalId, count]),
    });
    return { gates, told };
  };
  const match = { count: 1, text: 'x' };

  it('tell of each terminal by itself, and come back for what is gathered', () => {
    const { gates, told } = open();
    for (const terminal of ['a', 'a', 'b', 'a', 'b']) gates.add(terminal, match);
    expect(told).toEqual([
      ['a', 1],
      ['b', 1],
    ]);
    vi.advanceTimersByTime(999);
    expect(told).toHaveLength(2);
    vi.advanceTimersByTime(2);
    expect(told.slice(2)).toEqual([
      ['a', 2],
      ['b', 1],
    ]);
  });

  it('tell what is gathered of a terminal that is gone, and at the end', () => {
    const { gates, told } = open();
    for (const terminal of ['a', 'a', 'b', 'c', 'c']) gates.add(terminal, match);
    gates.forget('a');
    gates.forget('b');
    vi.advanceTimersByTime(1_001);
    expect(told.slice(3)).toEqual([
      ['a', 1],
      ['c', 1],
    ]);
    // The gate is gone: another terminal with this id would be new.
    gates.add('a', match);
    expect(told.at(-1)).toEqual(['a', 1]);
    gates.add('c', match);
    gates.add('a', match);
    gates.flush();
    expect(told.slice(-2).sort()).toEqual([
      ['a', 1],
      ['c', 1],
    ]);
  });

  it('tell nothing after they are closed', () => {
    const { gates, told } = open();
    gates.add('a', match);
    gates.add('a', match);
    gates.close();
    vi.advanceTimersByTime(10_000);
    expect(told).toEqual([['a', 1]]);
  });
});

describe('the lines of regular expressions', () => {
  it('of a watch that took too long wait for none of the others', async () => {
    const tried: string[] = [];
    const leftOut: [string, boolean][] = [];
    const matched: string[] = [];
    const lines = new RegexLines({
      patterns: {
        match: async (pattern) => {
          tried.push(pattern);
          return pattern === 'slow' ? { kind: 'too-slow' } : { kind: 'found', match: 'x' };
        },
      },
      regexOf: (id) => id,
      onMatch: ({ watchId, line }) => void matched.push(`${watchId} ${line}`),
      onLeftOut: (id, isTooSlow) => void leftOut.push([id, isTooSlow]),
      onFault: (error) => expect(error).toBeUndefined(),
    });
    const add = (watchId: string, line: number) => lines.add({ watchId, terminalId: 't', line, text: 'x' });
    add('slow', 1);
    add('slow', 2);
    add('quick', 1);
    add('quick', 1);
    add('quick', 2);
    await settled();
    expect(tried).toEqual(['slow', 'quick', 'quick']);
    expect(leftOut).toEqual([
      ['slow', true],
      ['slow', false],
    ]);
    // A line that is handed over again because it went on counts once.
    expect(matched).toEqual(['quick 1', 'quick 2']);
    vi.advanceTimersByTime(10_001);
    add('slow', 3);
    await settled();
    expect(tried).toHaveLength(4);
  });
});
