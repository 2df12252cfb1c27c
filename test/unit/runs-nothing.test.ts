import { describe, expect, it } from 'vitest';
import { isNothing } from '../../src/actors/runs/nothing.js';

const BLANK = ['', ' ', '\t\n  '];
const COMMENTS = ['# c', '  # c; echo )', '# a\n\n# b', '\\\n# c'];
const COMMANDS = ['echo', 'echo # c', '# c\necho', ':', ')', '\\ ', 'a#', '&', '; )'];

describe('a line that runs nothing', () => {
  it.each([
    ['bash', [...BLANK, ...COMMENTS], [...COMMANDS, ';', '; # c']],
    ['fish', [...BLANK, ...COMMENTS, ';', '; # c'], COMMANDS],
    ['zsh', BLANK, [...COMMENTS, ...COMMANDS]],
    ['pwsh', BLANK, [...COMMENTS, ...COMMANDS]],
    ['none', BLANK, [...COMMENTS, ...COMMANDS]],
  ] as const)('in %s', (shell, nothing, something) => {
    expect(nothing.filter((line) => !isNothing(line, shell))).toEqual([]);
    expect(something.filter((line) => isNothing(line, shell))).toEqual([]);
  });
});
