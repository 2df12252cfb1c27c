import { describe, expect, it } from 'vitest';
import { MAX_COMMAND_LINE_CHARS } from '../../src/contract/limits.js';
import { cutTo, parseMark } from '../../src/workers/shard/stages/mark.js';

function parse(family: 133 | 633, payload: string) {
  const mark = parseMark({ family, payload: Buffer.from(payload), begin: 10, end: 20 });
  if (!mark) return undefined;
  const { begin, end, ...rest } = mark;
  expect([begin, end]).toEqual([10, 20]);
  return rest;
}

const FROM = { key: 'N', pid: 42 };

describe('parseMark', () => {
  it.each<[string, 133 | 633, string, object]>([
    ['the beginning of a prompt', 133, 'A;k=N;s=42', { kind: 'promptStart', ...FROM }],
    ['parameters in any order', 133, 'B;x=1;s=42;k=N', { kind: 'promptEnd', ...FROM }],
    ['the beginning of output', 133, 'C;k=N;s=42', { kind: 'outputStart', ...FROM }],
    ['an exit code', 133, 'D;0;k=N;s=42', { kind: 'outputEnd', exitCode: 0, ...FROM }],
    ['an exit code behind the rest', 133, 'D;k=N;s=42;130', { kind: 'outputEnd', exitCode: 130, ...FROM }],
    ['a negative exit code', 133, 'D;-1;k=N;s=42', { kind: 'outputEnd', exitCode: -1, ...FROM }],
    ['no exit code', 133, 'D;k=N;s=42', { kind: 'outputEnd', exitCode: null, ...FROM }],
    [
      'an exit code of a function of zsh',
      133,
      'D;1000;k=N;s=42',
      { kind: 'outputEnd', exitCode: 1000, ...FROM },
    ],
    ['an empty exit code', 133, 'D;;k=N;s=42', { kind: 'outputEnd', exitCode: null, ...FROM }],
    ['a token', 133, 'C;k=T', { kind: 'outputStart', key: 'T', pid: 0 }],
    ['a process that is none', 133, 'C;k=T;s=-1', { kind: 'outputStart', key: 'T', pid: 0 }],
    ['no key', 133, 'A', { kind: 'promptStart', key: '', pid: 0 }],
    ['controls, which xterm leaves out', 133, 'A;k=\r\nN;s=4\x002', { kind: 'promptStart', ...FROM }],
    ['a command line', 633, 'E;ls -la;N;42', { kind: 'commandLine', commandLine: 'ls -la', ...FROM }],
    ['an empty command line', 633, 'E;;N;42', { kind: 'commandLine', commandLine: '', ...FROM }],
    [
      'an escaped command line',
      633,
      "E;echo a\\x3b printf '\\\\n'\\x0aé\\xc3\\xa9 \\x1B[m \\\\x3b;N;42",
      { kind: 'commandLine', commandLine: "echo a; printf '\\n'\néé \x1b[m \\x3b", ...FROM },
    ],
    [
      'a semicolon that was not escaped',
      633,
      'E;a;b;N;42',
      { kind: 'commandLine', commandLine: 'a;b', ...FROM },
    ],
    ['a folder', 633, 'P;Cwd=/tmp/a\\x3bé;N;42', { kind: 'cwd', cwd: '/tmp/a;é', ...FROM }],
  ])('reads %s', (_name, family, payload, mark) => {
    expect(parse(family, payload)).toEqual(mark);
  });

  it.each<[133 | 633, string]>([
    [133, ''],
    [133, 'X;k=N;s=42'],
    [133, 'L'],
    [133, 'D;%?;k=N;s=42'],
    [133, 'D;0x1;k=N;s=42'],
    [633, 'E'],
    [633, 'E;N;42'],
    [633, 'P;Task=x;N;42'],
    [633, 'A;k=N;s=42'],
  ])('ignores %s;%s', (family, payload) => {
    expect(parse(family, payload)).toBeUndefined();
  });

  it('cuts a long command line, between characters', () => {
    const mark = parse(633, `E;${'x'.repeat(MAX_COMMAND_LINE_CHARS - 1)}😀;N;42`);
    expect(mark).toMatchObject({ commandLine: 'x'.repeat(MAX_COMMAND_LINE_CHARS - 1) });
    expect(cutTo('a😀', 3)).toBe('a😀');
    expect(cutTo('a😀b', 3)).toBe('a😀');
  });
});
