import { expect, test } from 'vitest';
import { durationOf } from '../../src/command/format.js';

test.each([
  [0, '0 ms'],
  [999.4, '999 ms'],
  [999.6, '1.0 s'],
  [59_940, '59.9 s'],
  [59_960, '1m 0s'],
  [119_600, '2m 0s'],
  [320_000, '5m 20s'],
])('%d ms are shown as %s', (ms, text) => {
  expect(durationOf(ms)).toBe(text);
});
