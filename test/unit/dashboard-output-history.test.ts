import { expect, it } from 'vitest';
import { OutputHistory } from '../../dashboard/src/fleet/output-history.js';
import { barsOf } from '../../dashboard/src/wall/bars.js';

const NOW = 1_000_000_000;

it('keeps what each terminal has printed, by two seconds, for a minute', () => {
  const history = new OutputHistory();
  expect(history.of('a', NOW)).toEqual([]);
  history.add('a', 5, NOW);
  history.add('a', 2, NOW + 1_999);
  history.add('a', 1, NOW + 4_000);
  history.add('b', 9, NOW);
  const at = (ms: number) => history.of('a', NOW + ms);
  expect(at(4_000)).toHaveLength(30);
  expect(at(4_000).slice(-4)).toEqual([0, 7, 0, 1]);
  expect(at(8_000).slice(-5)).toEqual([7, 0, 1, 0, 0]);
  expect(at(59_999).slice(0, 3)).toEqual([7, 0, 1]);
  expect(at(60_000).slice(0, 3)).toEqual([0, 1, 0]);
  expect(at(64_000)).toEqual([]);
  history.add('a', 3, NOW + 900_000);
  expect(at(900_000)).toEqual([...new Array(29).fill(0), 3]);
  history.add('b', 4, NOW + 900_000);
  history.keepOnly(new Set(['a']));
  expect(history.of('b', NOW + 900_000)).toEqual([]);
  expect(at(900_000)).not.toEqual([]);
  history.forget('a');
  expect(at(900_000)).toEqual([]);
});

it('counts to the last piece when the clock goes back', () => {
  const history = new OutputHistory();
  history.add('a', 5, NOW);
  history.add('a', 2, NOW - 10_000);
  expect(history.of('a', NOW).at(-1)).toBe(7);
});

it('draws a bar for each piece with output, higher by powers of ten', () => {
  expect(barsOf([])).toBe('');
  expect(barsOf([0, 1, 999, 999_999, 10 ** 9])).toBe('M3 12v-1M5 12v-6M7 12v-12M9 12v-12');
});
