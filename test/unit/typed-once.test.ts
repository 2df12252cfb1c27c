import { describe, expect, it } from 'vitest';
import { MAX_TYPED_ONCE, MAX_TYPED_ONCE_IN_ALL, TYPED_ONCE_MS } from '#dist/contract/limits.js';
import { TypedOnce } from '#dist/workers/pty-host/typed-once.js';

function create() {
  const clock = { now: 0 };
  return { clock, typed: new TypedOnce(() => clock.now) };
}

describe('TypedOnce', () => {
  it('distinguishes the ids of one terminal from those of others', () => {
    const { typed } = create();
    typed.add(1, 'a');
    expect([typed.has(1, 'a'), typed.has(1, 'b'), typed.has(2, 'a')]).toEqual([true, false, false]);
  });

  it('drops only the ids of a removed terminal', () => {
    const { typed } = create();
    for (const handle of [1, 12]) typed.add(handle, '2 x');
    typed.forget(1);
    expect([typed.has(1, '2 x'), typed.has(12, '2 x'), typed.size]).toEqual([false, true, 1]);
  });

  it('drops ids after their time', () => {
    const { typed, clock } = create();
    typed.add(1, 'a');
    clock.now = TYPED_ONCE_MS;
    typed.add(1, 'b');
    expect(typed.has(1, 'a')).toBe(true);
    clock.now++;
    expect([typed.has(1, 'a'), typed.has(1, 'b'), typed.size]).toEqual([false, true, 1]);
  });

  it('keeps a bounded number of one terminal and of all, the newest', () => {
    const { typed } = create();
    for (let id = 0; id <= MAX_TYPED_ONCE; id++) typed.add(1, `${id}`);
    expect([typed.has(1, '0'), typed.has(1, '1'), typed.size]).toEqual([false, true, MAX_TYPED_ONCE]);
    for (let handle = 2; handle < 2 + MAX_TYPED_ONCE_IN_ALL; handle++) typed.add(handle, 'x');
    expect(typed.size).toBe(MAX_TYPED_ONCE_IN_ALL);
    expect([typed.has(1, '1000'), typed.has(2, 'x')]).toEqual([false, true]);
  });
});
