import { expect, it } from 'vitest';
import { isOlder } from '#dist/contract/version.js';

it.each([
  [undefined, '0.1.0', true],
  ['0.1.0', '0.1.0', false],
  ['0.0.9', '0.1.0', true],
  ['0.9.0', '0.10.0', true],
  ['0.10.0', '0.9.0', false],
  ['1.0.0', '0.99.99', false],
  ['0.1.0-rc.1', '0.1.0', false],
  ['0.1.0-rc.1', '0.1.1', true],
  ['0.1.1', '0.1.0', false],
])('%s is older than %s: %s', (version, than, older) => {
  expect(isOlder(version, than)).toBe(older);
});
