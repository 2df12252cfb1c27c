import { describe, expect, test } from 'vitest';
import { hasBegun, withoutReaction } from '#dist/actors/prompts/reactions.js';

describe('what a look says of a prompt', () => {
  const rule = {} as never;
  test.each([
    [{ status: 'working', rule }, 0, true],
    [{ status: 'waiting', rule }, 0, true],
    [{ status: 'idle', rule }, 4_000, false],
    // The first output of an agent without a rule may be the echo.
    [{ status: 'working', rule: undefined }, 500, false],
    [{ status: 'working', rule: undefined }, 1_500, true],
  ] as const)('%j, printed %i ms after the last key: %s', (verdict, printedAfterMs, has) => {
    expect(hasBegun(verdict, printedAfterMs)).toBe(has);
  });

  test.each([
    [rule, 100, 'stalled'],
    [undefined, 100, 'unknown'],
    [undefined, -100, 'stalled'],
  ])('without a reaction, by rule %j, printed %i ms after the last key: %s', (by, printedAfterMs, state) => {
    expect(withoutReaction({ rule: by }, printedAfterMs)).toMatchObject({ state });
  });
});
