import { expect, it } from 'vitest';
import { MAX_AWAKE_BYTES } from '../../src/contract/limits.js';
import { AwakeScreenLru, type Sleeper } from '../../src/workers/shard/awake-screen-lru.js';

/** A quarter of the bytes that may be awake. */
const QUARTER = MAX_AWAKE_BYTES / 4;

/** Named screens that record the order in which they are put to sleep. */
function screens() {
  const lru = new AwakeScreenLru();
  const asleep: string[] = [];
  const screen = (name: string, { bytes = QUARTER, isAtWork = (): boolean => false } = {}): Sleeper => ({
    bytes,
    doze: () => {
      if (isAtWork()) return false;
      asleep.push(name);
      return true;
    },
  });
  return { lru, asleep, screen };
}

it('puts the screens to sleep that were needed longest ago, until the others fit', () => {
  const { lru, asleep, screen } = screens();
  const [a, b, c, d] = ['a', 'b', 'c', 'd'].map((name) => screen(name)) as [
    Sleeper,
    Sleeper,
    Sleeper,
    Sleeper,
  ];
  for (const each of [a, b, c, d, a]) lru.needed(each);
  expect(asleep).toEqual([]);
  lru.needed(screen('large', { bytes: 1.5 * QUARTER }));
  expect(asleep).toEqual(['b', 'c']);
});

it('leaves screens at work awake, and asks them again later', () => {
  const { lru, asleep, screen } = screens();
  let isAtWork = true;
  lru.needed(screen('busy', { isAtWork: () => isAtWork }));
  for (const name of ['a', 'b', 'c', 'd']) lru.needed(screen(name));
  expect(asleep).toEqual(['a']);
  isAtWork = false;
  for (const name of ['e', 'f', 'g']) lru.needed(screen(name));
  expect(asleep).toEqual(['a', 'b', 'c', 'd']);
  lru.needed(screen('h'));
  expect(asleep).toContain('busy');
});

it('tries eight screens at most, since looking at hundreds at work takes time', () => {
  const { lru, screen } = screens();
  let tries = 0;
  const busy = () => screen('', { bytes: QUARTER / 8, isAtWork: () => ++tries > 0 });
  for (let count = 0; count < 32; count++) lru.needed(busy());
  expect(tries).toBe(0);
  lru.needed(busy());
  expect(tries).toBe(8);
});

it('counts a screen by its bytes when it was needed last, and no longer once it is asleep', () => {
  const { lru, asleep, screen } = screens();
  const packed = { ...screen('packed', { bytes: MAX_AWAKE_BYTES }) };
  lru.needed(packed);
  lru.needed(Object.assign(packed, { bytes: 0 }));
  const gone = screen('gone', { bytes: MAX_AWAKE_BYTES });
  lru.needed(gone);
  lru.asleep(gone);
  lru.needed(screen('a', { bytes: MAX_AWAKE_BYTES }));
  expect(asleep).toEqual([]);
  lru.needed(screen('b', { bytes: 1 }));
  expect(asleep[0]).toBe('packed');
});
