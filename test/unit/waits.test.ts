import fc from 'fast-check';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { DomainError } from '../../src/contract/errors.js';
import type { Awaited } from '../../src/workers/shard/protocol.js';
import { awaitedTerminal as terminal } from '../support/awaited-terminal.js';

const text = (text: string, since?: string): Awaited => ({ kind: 'text', text, ...(since && { since }) });

afterEach(() => void vi.useRealTimers());

describe('a wait for silence', () => {
  it('counts from the last output, also before the call', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'hrtime'] });
    const { write, wait, screenActor } = terminal();
    write('x');
    vi.advanceTimersByTime(300);
    const short = wait({ kind: 'idle', idleMs: 300 });
    const long = wait({ kind: 'idle', idleMs: 500 });
    await short.ended;
    expect(short.outcome).toEqual([1]);
    vi.advanceTimersByTime(199);
    write('y');
    await vi.advanceTimersByTimeAsync(499);
    expect(long.outcome).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect(long.outcome).toEqual([2]);
    screenActor.close(new DomainError('terminal-not-found'));
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe('a wait for output', () => {
  it('ends with existing or later output', async () => {
    const { write, wait } = terminal();
    write('abc');
    const there = wait({ kind: 'output', after: 2 });
    const next = wait({ kind: 'output', after: 3 });
    await there.ended;
    expect([there.outcome, next.outcome]).toEqual([[3], []]);
    write('d');
    await next.ended;
    expect(next.outcome).toEqual([4]);
  });
});

describe('every wait', () => {
  const kinds: Awaited[] = [
    text('never'),
    { kind: 'idle', idleMs: 100_000 },
    { kind: 'output', after: 100_000 },
  ];

  it.each(kinds)('ends with the terminal, when it is closed or exits: %j', async (awaited) => {
    const closed = terminal();
    const first = closed.wait(awaited);
    closed.waits.close(new DomainError('terminal-not-found'));
    closed.screenActor.close(new DomainError('terminal-not-found'));
    const exited = terminal();
    const second = exited.wait(awaited);
    await exited.settled();
    exited.waits.exited();
    const after = exited.wait(awaited);
    await Promise.all([first.ended, second.ended, after.ended]);
    expect([first, second, after].map(({ outcome }) => outcome)).toEqual(
      Array(3).fill(['terminal-not-found']),
    );
    expect([closed.waits.isEmpty, exited.waits.isEmpty]).toEqual([true, true]);
  });

  it.each(kinds)('can be cancelled, also before the terminal has caught up: %j', async (awaited) => {
    for (const isCaughtUp of [true, false]) {
      const { waits, wait } = terminal({ isCaughtUp });
      const { ended, outcome, number } = wait(awaited);
      waits.cancel(number);
      waits.cancel(number);
      waits.cancel(99);
      await ended;
      expect(outcome).toEqual(['unavailable']);
      expect(waits.isEmpty).toBe(true);
    }
  });

  it.each(kinds)('ends by itself if no caller cancels it: %j', async (awaited) => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const { wait, waits } = terminal({ isCaughtUp: false });
    const { outcome } = wait(awaited);
    await vi.advanceTimersByTimeAsync(4_000_000);
    expect(outcome).toEqual(['unavailable']);
    expect([waits.isEmpty, vi.getTimerCount()]).toEqual([true, 0]);
  });

  it('begins once the terminal has caught up', async () => {
    const { body, waits, wait, write } = terminal({ isCaughtUp: false });
    const found = [wait(text('needle')), wait({ kind: 'output', after: 3 })];
    write('needle');
    expect(found.map(({ outcome }) => outcome)).toEqual([[], []]);
    waits.begin(body);
    await Promise.all(found.map(({ ended }) => ended));
    expect(found.map(({ outcome }) => outcome)).toEqual([[6], [6]]);
  });

  it('looks at the last output of a program that exits', async () => {
    const { write, wait, waits, settled } = terminal();
    const [drawn, never] = [wait(text('needle')), wait(text('never'))];
    await settled();
    write('\x1b[3;10Hdle\x1b[3;7Hnee');
    waits.exited();
    await Promise.all([drawn.ended, never.ended]);
    expect(drawn.outcome).toHaveLength(1);
    expect(never.outcome).toEqual(['terminal-not-found']);
    const after = wait(text('needle'));
    await after.ended;
    expect(after.outcome).toEqual(drawn.outcome);
  });
});

describe('any number of waits', () => {
  it('may begin at once', async () => {
    const { wait, write } = terminal();
    const all = Array.from({ length: 3_000 }, (_, index) => wait(text(`needle ${index % 10}.`)));
    write(Array.from({ length: 10 }, (_, index) => `needle ${index}.\r\n`).join(''));
    await Promise.all(all.map(({ ended }) => ended));
    expect(new Set(all.map(({ outcome }) => typeof outcome[0]))).toEqual(new Set(['number']));
  });

  const word = fc.constantFrom('a', 'ab', 'b\n', 'ba', 'bb', 'aaa');
  const step = fc.oneof(
    {
      weight: 5,
      arbitrary: fc.record({
        write: fc.array(fc.constantFrom('a', 'b', '\r\n', '\x1b[m'), { maxLength: 6 }),
      }),
    },
    { weight: 3, arbitrary: fc.record({ text: word, since: fc.boolean() }) },
    { weight: 1, arbitrary: fc.record({ after: fc.nat(60) }) },
    { weight: 1, arbitrary: fc.record({ idle: fc.constant(true) }) },
    { weight: 2, arbitrary: fc.record({ cancel: fc.nat(10) }) },
    { weight: 2, arbitrary: fc.record({ settle: fc.constant(true) }) },
  );

  it('are answered once each, and right', async () => {
    const property = fc.asyncProperty(
      fc.array(step, { maxLength: 40 }),
      fc.boolean(),
      async (steps, isExit) => {
        const { write, wait, waits, screenActor, cursor, settled, body } = terminal();
        const begun: Array<ReturnType<typeof wait> & { isRight: () => boolean }> = [];
        let all = '';
        for (const taken of steps) {
          if ('write' in taken) {
            write(taken.write.join(''));
            all += taken.write
              .filter((part) => part !== '\x1b[m')
              .join('')
              .replaceAll('\r\n', '\n');
          } else if ('text' in taken) {
            const since = taken.since ? await cursor() : undefined;
            const from = since ? all.length : 0;
            // Without a cursor the wait looks at the screen, which may have lost text printed long ago, but no new
            // text.
            begun.push({
              ...wait(text(taken.text, since)),
              isRight: () => all.slice(from).includes(taken.text),
            });
          } else if ('after' in taken) {
            begun.push({ ...wait({ kind: 'output', ...taken }), isRight: () => body.received > taken.after });
          } else if ('idle' in taken) {
            begun.push({ ...wait({ kind: 'idle', idleMs: 60_000 }), isRight: () => false });
          } else if ('cancel' in taken) {
            const { number } = begun[taken.cancel % Math.max(1, begun.length)] ?? { number: 0 };
            waits.cancel(number);
          } else await settled();
        }
        await settled();
        for (const { outcome, isRight } of begun) {
          expect(outcome.length).toBeLessThanOrEqual(1);
          if (typeof outcome[0] === 'number') expect(isRight()).toBe(true);
          // This screen of 6 rows still shows the printed text, or the wait has followed it.
          if (outcome.length === 0 && all.split('\n').length <= 6) expect(isRight()).toBe(false);
        }
        if (isExit) waits.exited();
        else {
          waits.close(new DomainError('terminal-not-found'));
          screenActor.close(new DomainError('terminal-not-found'));
        }
        await Promise.all(begun.map(({ ended }) => ended));
        expect(begun.map(({ outcome }) => outcome.length)).toEqual(begun.map(() => 1));
        expect(waits.isEmpty).toBe(true);
      },
    );
    await fc.assert(property, { numRuns: 300 });
  });
});
