import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { DomainError } from '#dist/contract/errors.js';
import { HOLD_MS, TAP_BYTES, TAP_SLICE_BYTES, TAP_WAIT_MS } from '#dist/contract/limits.js';
import { History } from '#dist/workers/shard/history.js';
import type { ScreenPlace } from '#dist/workers/shard/screen-view.js';
import { Taps } from '#dist/workers/shard/taps/taps.js';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
});
afterEach(() => {
  vi.useRealTimers();
});

/** A tapped terminal, whose screen takes all output at once. */
function tapped(isHeld: boolean, historyBytes = 1_000_000) {
  const confirmed: number[] = [];
  const taps = new Taps({ confirm: (position) => confirmed.push(position), isHeld });
  const history = new History(historyBytes, 0, { cols: 80, rows: 24 });
  const screenActor = {
    askPlace: async <Answer>(question: (place: ScreenPlace) => Answer) =>
      question({ history, position: terminal.received } as ScreenPlace),
  };
  const terminal = { screenActor, secret: 'the-secret', received: 0 };
  const print = (bytes: Uint8Array) => {
    terminal.received += bytes.length;
    history.append(bytes);
    taps.output(bytes);
    taps.confirm(terminal.received);
  };
  return { taps, terminal, print, confirmed };
}

/** Resolves with all output up to the last slice, which must have come already. */
async function takeAll(taps: Taps, reader: number): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  for (;;) {
    const { bytes, isLast } = await taps.take(reader);
    parts.push(bytes);
    if (isLast) return Buffer.concat(parts);
  }
}

const chunks = fc.array(fc.uint8Array({ minLength: 1, maxLength: 50 }), { maxLength: 20 });

it('gives every reader exactly the bytes from its beginning on', async () => {
  await fc.assert(
    fc.asyncProperty(fc.boolean(), chunks, chunks, async (isHeld, before, after) => {
      const { taps, terminal, print } = tapped(isHeld);
      for (const bytes of before) print(bytes);
      await taps.open(1, 'start', terminal);
      await taps.open(2, 'start', terminal);
      await taps.open(3, 'now', terminal);
      for (const bytes of after) print(bytes);
      taps.exited();
      await taps.open(4, 'start', terminal);
      const whole = Buffer.concat([...before, ...after]);
      for (const reader of [1, 2, 4]) expect(await takeAll(taps, reader)).toEqual(whole);
      expect(await takeAll(taps, 3)).toEqual(Buffer.concat(after));
      taps.closeAll(new DomainError('terminal-not-found'));
    }),
  );
});

it('gives output in bounded slices, and nothing if none comes', async () => {
  const { taps, terminal, print } = tapped(false);
  await taps.open(1, 'now', terminal);
  print(Buffer.alloc(TAP_SLICE_BYTES + 5));
  expect((await taps.take(1)).bytes).toHaveLength(TAP_SLICE_BYTES);
  expect((await taps.take(1)).bytes).toHaveLength(5);
  const waiting = taps.take(1);
  vi.advanceTimersByTime(TAP_WAIT_MS);
  expect(await waiting).toEqual({ bytes: new Uint8Array(0), isLast: false });
  const next = taps.take(1);
  print(Buffer.from('x'));
  expect(Buffer.from((await next).bytes).toString()).toBe('x');
});

it('covers the secret in output from before', async () => {
  const { taps, terminal, print } = tapped(false);
  print(Buffer.from('a the-secret b'));
  await taps.open(1, 'start', terminal);
  const { bytes } = await taps.take(1);
  expect(bytes).toHaveLength('a the-secret b'.length);
  expect(Buffer.from(bytes).toString()).not.toContain('the-secret');
});

describe('a terminal that is held', () => {
  it('confirms no more than its first reader has taken', async () => {
    const { taps, terminal, print, confirmed } = tapped(true);
    print(Buffer.alloc(TAP_SLICE_BYTES));
    print(Buffer.alloc(100));
    expect(confirmed).toEqual([]);
    await taps.open(1, 'start', terminal);
    await taps.take(1);
    expect(confirmed).toEqual([TAP_SLICE_BYTES]);
    await taps.take(1);
    expect(confirmed.at(-1)).toBe(TAP_SLICE_BYTES + 100);
  });

  it('is let go when the reader leaves, or none comes', async () => {
    const left = tapped(true);
    left.print(Buffer.alloc(10));
    await left.taps.open(1, 'start', left.terminal);
    left.taps.close(1);
    expect(left.confirmed).toEqual([10]);
    const nobody = tapped(true);
    nobody.print(Buffer.alloc(10));
    vi.advanceTimersByTime(HOLD_MS);
    expect(nobody.confirmed).toEqual([10]);
    nobody.print(Buffer.alloc(10));
    expect(nobody.confirmed).toEqual([10, 20]);
    await nobody.taps.open(1, 'start', nobody.terminal);
    expect((await nobody.taps.take(1)).bytes).toHaveLength(20);
  });

  it('never cuts its reader off', async () => {
    const { taps, terminal, print } = tapped(true);
    print(Buffer.alloc(2 * TAP_BYTES));
    await taps.open(1, 'start', terminal);
    expect((await taps.take(1)).bytes).toHaveLength(TAP_SLICE_BYTES);
  });
});

describe('output-gone', () => {
  it('for a reader that is too far behind', async () => {
    const { taps, terminal, print } = tapped(false);
    await taps.open(1, 'now', terminal);
    print(Buffer.alloc(TAP_BYTES));
    expect((await taps.take(1)).bytes).toHaveLength(TAP_SLICE_BYTES);
    print(Buffer.alloc(TAP_SLICE_BYTES + 1));
    await expect(taps.take(1)).rejects.toMatchObject({ code: 'output-gone' });
  });

  it('from the start, if that is no longer kept; for a reader that is not known', async () => {
    const { taps, terminal, print } = tapped(false, 1_000);
    print(Buffer.from('a line\n'.repeat(1_000)));
    await expect(taps.open(1, 'start', terminal)).rejects.toMatchObject({ code: 'output-gone' });
    for (const reader of [1, 2])
      await expect(taps.take(reader)).rejects.toMatchObject({ code: 'output-gone' });
  });
});

it('ends all reading when the terminal is closed', async () => {
  const { taps, terminal } = tapped(false);
  await taps.open(1, 'now', terminal);
  const waiting = taps.take(1);
  taps.closeAll(new DomainError('terminal-not-found'));
  await expect(waiting).rejects.toMatchObject({ code: 'terminal-not-found' });
});
