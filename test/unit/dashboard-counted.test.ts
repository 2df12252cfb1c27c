import { expect, test } from 'vitest';
import { counted } from '../../dashboard/src/parts/counted.js';

test.each([
  [0, '0 keys'],
  [1, '1 key'],
  [1_200, `${(1_200).toLocaleString()} keys`],
])('%d of them', (count, text) => {
  expect(counted(count, 'key')).toBe(text);
});
