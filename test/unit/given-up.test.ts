import { describe, expect, it } from 'vitest';
import { isGivenUp } from '../../src/workers/shard/stages/given-up.js';

const plain = { callsFunction: false };
const calls = { callsFunction: true };

describe('the output of a line that zsh has given up', () => {
  it.each([
    'zsh: x: parameter not set\r\n',
    'zsh: x: killed  by hand\r\n',
    'zsh: 1: parameter not set\r\n',
    'zsh: x[2]: parameter not set\r\n',
    'a\r\nb\r\nzsh: division by zero\r\n',
    '\x1b[31mzsh: bad substitution\x1b[m\r\n',
    'zsh: a message of a later zsh\r\n',
  ])('ends with a message of zsh: %j', (output) => {
    expect(isGivenUp(output, plain)).toBe(true);
  });

  it.each(['f: x: set it\r\n', 'f:12: x: parameter not set\r\n', 'my-f: division by zero\r\n'])(
    'ends with a message of a function, if the line calls one: %j',
    (output) => {
      expect(isGivenUp(output, calls)).toBe(true);
      expect(isGivenUp(output, plain)).toBe(false);
    },
  );

  it.each([
    '',
    'zsh: x: parameter not set\r\nmore\r\n',
    'zsh: command not found: nosuch\r\n',
    'zsh: no such file or directory: a: b\r\n',
    'zsh: exit 3     false\r\n',
    'zsh: killed     sleep 60\r\n',
    'zsh: segmentation fault (core dumped)  ./a\r\n',
    'src/a.ts: const x: number\r\n',
    'deploy: done\r\n',
  ])('is not %j', (output) => {
    expect(isGivenUp(output, calls)).toBe(false);
  });
});
