// Words of a command behind `--`, which each shell is to hand to the program as they are.
import { expect, test } from 'vitest';
import { verbsAt } from '../support/command.js';
import { useService } from '../support/use-service.js';

const used = useService({ env: { SHELL: '/bin/bash' } });
const { out, create } = verbsAt(() => used.service.home);

const WORDS = [
  'a\\\\b',
  'ends\\',
  "it's",
  "\\'",
  '=ls',
  '%self',
  'a=b',
  '$HOME',
  '`id`',
  'a b',
  '',
  '{a,b}',
  '~',
  '#c',
  '(x)',
];

test.each([
  ['bash', ['bash', '--norc']],
  ['zsh', ['zsh', '-f']],
  ['fish', ['fish']],
])('%s hands words on as they were given', async (_shell, command) => {
  const id = await create('--', ...command);
  const printed = await out('exec', id, '--', 'printf', '[%s]\\n', ...WORDS);
  expect(printed).toBe(WORDS.map((word) => `[${word}]\n`).join(''));
  await out('close', id);
});
