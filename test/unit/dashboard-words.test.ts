import { expect, it } from 'vitest';
import { plainLabel } from '../../dashboard/src/fleet/words.js';

it('cuts a label before a character that does not fit whole', () => {
  const label = plainLabel('\u{1d54f}'.repeat(50));
  expect(label).toBe(`${'\u{1d54f}'.repeat(39)}…`);
  expect(plainLabel('x'.repeat(81))).toBe(`${'x'.repeat(79)}…`);
});
