import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { DomainError, type ErrorCode } from '#dist/contract/errors.js';
import { MAX_LOGGED_REFUSALS, REFUSALS_WINDOW_MS } from '#dist/contract/limits.js';
import { Refusals } from '#dist/gateway/refusals.js';

let lines: [string, object][];
let refusals: Refusals;
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  lines = [];
  refusals = new Refusals({
    warn: (fields: object, text: string) => void lines.push([text, fields]),
  } as never);
});
afterEach(() => {
  vi.useRealTimers();
});

const note = (code: ErrorCode, times = 1) => {
  for (let time = 0; time < times; time++) refusals.note(new DomainError(code), '192.0.2.7');
};
const leftOut = () => lines.flatMap(([text, fields]) => (text.startsWith('more') ? [fields] : []));

test('a 401 and a 403 are logged, with reason and address; other refusals are not', () => {
  note('unauthorized');
  note('not-json');
  refusals.note(new DomainError('origin-not-allowed'), undefined);
  const reason = 'Origin is not allowed';
  expect(lines).toEqual([
    [
      'a client was refused',
      { status: 401, code: 'unauthorized', reason: 'unauthorized', address: '192.0.2.7' },
    ],
    ['a client was refused', { status: 403, code: 'origin-not-allowed', reason, address: null }],
  ]);
});

test('a flood is logged up to the bound in each window, and the rest is counted', () => {
  note('unauthorized', MAX_LOGGED_REFUSALS + 70_000);
  expect(lines).toHaveLength(MAX_LOGGED_REFUSALS);
  vi.advanceTimersByTime(REFUSALS_WINDOW_MS);
  expect(leftOut()).toEqual([{ leftOut: 70_000 }]);
  note('other-user', MAX_LOGGED_REFUSALS);
  expect(lines).toHaveLength(2 * MAX_LOGGED_REFUSALS + 1);
  vi.advanceTimersByTime(REFUSALS_WINDOW_MS);
  expect(lines).toHaveLength(2 * MAX_LOGGED_REFUSALS + 1);
  expect(vi.getTimerCount()).toBe(0);
});

test('an end says at once what was left out', () => {
  note('unauthorized', MAX_LOGGED_REFUSALS + 3);
  refusals.end();
  expect(leftOut()).toEqual([{ leftOut: 3 }]);
  expect(vi.getTimerCount()).toBe(0);
});
