import { spawnSync } from 'node:child_process';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { posixShell, readingShell } from '../../src/actors/runs/posix-shell.js';
import { sentinelLine } from '../../src/actors/runs/sentinel.js';
import { MAX_CANONICAL_LINE_BYTES } from '../../src/contract/limits.js';

const TOKEN = '0123456789abcdef0123456789abcdef';
const SHELLS = ['dash', 'bash', 'zsh', 'mksh', 'busybox'];

const begin = `\x1b]133;C;k=${TOKEN}\x07`;
const end = new RegExp(`\\x1b\\]133;D;(\\d+);k=${TOKEN}\\x07`);

/** Returns the output that a shell prints between the marks when it reads the line, and the status that it reports. */
function run(shell: string, command: string): { output: string; status: number } {
  const input = `${sentinelLine(shell, command, TOKEN)}\n`;
  const args = shell === 'busybox' ? ['sh'] : [];
  const { stdout } = spawnSync(shell, args, {
    input,
    encoding: 'utf8',
    env: { PATH: process.env.PATH, LC_ALL: 'C.UTF-8' },
  });
  const from = stdout.indexOf(begin) + begin.length;
  const ended = end.exec(stdout);
  if (from < begin.length || !ended) throw new Error(`no marks in ${JSON.stringify(stdout)}`);
  return { output: stdout.slice(from, ended.index), status: Number(ended[1]) };
}

/** Characters that shells, line editors and terminals treat specially. */
const text = fc.string({
  unit: fc.constantFrom(...[...`'"\\$\`!#&;|<>()[]{}*?~%^=- \t\n\r\x1b\x03\x04\x15\x16\x7faé日🎉`]),
  maxLength: 60,
});

describe.each(SHELLS)('the text typed to run a command in %s', (shell) => {
  it('runs it as it is, whatever it contains', () => {
    fc.assert(
      fc.property(text, fc.integer({ min: 0, max: 255 }), (text, status) => {
        const quoted = `'${text.replaceAll("'", "'\\''")}'`;
        expect(run(shell, `printf %s ${quoted}; (exit ${status})`)).toEqual({ output: text, status });
      }),
      { numRuns: 60 },
    );
  });

  it("runs commands longer than a terminal's line", () => {
    for (const unit of ['x', "'\\''", 'é日', 'a\n', '\t\\']) {
      const times = Math.ceil((3 * MAX_CANONICAL_LINE_BYTES) / Buffer.byteLength(unit));
      const { output, status } = run(shell, `printf %s '${unit.repeat(times)}' | wc -c`);
      const bytes = Buffer.byteLength(unit.replace("'\\''", "'")) * times;
      expect([output.trim(), status]).toEqual([String(bytes), 0]);
    }
  });

  it.skipIf(shell === 'mksh')('reports an end even if the command does not exist', () => {
    for (const command of ['echo "abc', 'if true; then', ')', 'echo $(', 'a=(', "it's"])
      expect([command, run(shell, command).status === 0]).toEqual([command, false]);
  });

  it('leaves variables, folders and the status as the command does', () => {
    expect(run(shell, 'X=kept; cd /\necho "$X $PWD"; false')).toEqual({ output: 'kept /\n', status: 1 });
  });
});

describe('its echo', () => {
  it('contains no mark, no control character, and no line that the terminal would cut', () => {
    fc.assert(
      fc.property(fc.constantFrom(...SHELLS), fc.array(text, { maxLength: 400 }), (shell, texts) => {
        const typed = sentinelLine(shell, texts.join(''), TOKEN);
        expect(typed).not.toMatch(/[\x00-\x09\x0b-\x1f\x7f]/);
        for (const line of typed.split('\n'))
          expect(Buffer.byteLength(line)).toBeLessThanOrEqual(MAX_CANONICAL_LINE_BYTES);
      }),
    );
  });
});

describe('a program', () => {
  it.each([
    ['/bin/sh', 'sh'],
    ['dash', 'dash'],
    ['-zsh', 'zsh'],
    ['/opt/my.sh', undefined],
    ['/usr/bin/fish', undefined],
    ['', undefined],
  ])('%s is a POSIX shell: %s', (path, name) => {
    expect(posixShell(path)).toBe(name);
  });

  it.each<[string, string | undefined]>([
    ['sh', 'sh'],
    ['-bash', 'bash'],
    ['/bin/bash --norc -i', 'bash'],
    ['bash --rcfile file -O extglob +o posix', 'bash'],
    ['zsh -f -o shwordsplit', 'zsh'],
    ['dash -s argument', 'dash'],
    ['busybox sh', 'busybox'],
    ['busybox vi', undefined],
    ['busybox', undefined],
    ['sh -c command', undefined],
    ['bash -lc command', undefined],
    ['bash --login script', undefined],
    ['sh -e script', undefined],
    ['busybox sh script', undefined],
    ['vim', undefined],
    ['', undefined],
  ])('%j reads commands from its terminal as %s', (line, name) => {
    expect(readingShell(line.split(' '))).toBe(name);
  });
});
