import { expect, test } from 'vitest';
import { skewFix } from '#dist/command/skew.js';

test.each([
  ['0.10.0', '0.10.0', /^$/],
  ['0.10.0', '0.9.3', /older than this command \(0\.10\.0\): auto-terminal restart/],
  ['0.9.3', '0.10.0', /newer than this command \(0\.9\.3\): install auto-terminal 0\.10\.0/],
  ['1.2.10', '1.2.9', /older/],
])('a command of %s beside a service of %s', (command, service, said) => {
  expect(skewFix(command, service)).toMatch(said);
});
