import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { loadLibc } from '#dist/workers/pty-host/pty/libc.js';
import { startProgram } from '../support/started-program.js';

const folder = mkdtempSync(join(tmpdir(), 'starters-'));
afterAll(() => rmSync(folder, { recursive: true }));

const sh = (script: string) => ({ path: '/bin/sh', file: 'sh', args: ['-c', script] });

/** Facts about its start that a program can report, each with the script that reports it. */
const TOLD: [string, string][] = [
  ['its terminal and size', 'stty size; tty | sed s/[0-9]*$//'],
  ['the modes of its terminal', 'stty -a | tr "\\n" " " | sed "s/\\(eol2*\\|discard\\) = [^;]*;//g"'],
  ['its descriptors', 'exec ls -gG --time-style=+ /proc/self/fd'],
  ['its environment', 'env | sort'],
  ['its folder', 'pwd; readlink /proc/$$/cwd'],
  ['its name and arguments', 'tr "\\0" " " < /proc/$$/cmdline'],
  // Reads the signals of the program itself: a shell blocks signals while it waits for a program.
  ['its signals', 'exec grep "Sig[BI]" /proc/self/status'],
  [
    'its session, whose leader it is, in the foreground',
    'read -r pid name state parent group session tty foreground rest < /proc/$$/stat; test $pid = $group -a $pid = $session -a $pid = $foreground && test $tty != 0 && echo leads',
  ],
];

/** Replaces the numbers of terminals and processes, which differ in each run. */
function withoutNumbers(printed: string): string {
  return printed.replace(/(pts|proc)\/\d+/g, '$1/N');
}

describe.runIf(process.platform === 'linux')('a program, started by posix_spawn or by fork,', () => {
  test.each(TOLD)('finds the same: %s', async (_what, script) => {
    const [spawned, forked] = await Promise.all([
      startProgram('posix-spawn', sh(script)),
      startProgram('fork', sh(script)),
    ]);
    expect(spawned.printed.trim()).not.toBe('');
    const alike = ({ printed, ...rest }: typeof spawned) => ({ printed: withoutNumbers(printed), ...rest });
    expect(alike(spawned)).toEqual({ ...alike(forked), exitCode: 0 });
  });

  test.each(['posix-spawn', 'fork'] as const)(
    '%s: its end is reported, by exit code or signal',
    async (kind) => {
      expect(await startProgram(kind, sh('exit 7'))).toMatchObject({ exitCode: 7, signal: 0 });
      expect(await startProgram(kind, sh('kill -KILL $$'))).toMatchObject({ exitCode: 0, signal: 9 });
    },
  );

  test.each(['posix-spawn', 'fork'] as const)(
    '%s: a file that names no interpreter is a script',
    async (kind) => {
      const path = join(folder, kind);
      writeFileSync(path, 'echo "script $1"', { mode: 0o755 });
      expect((await startProgram(kind, { path, args: ['run'] })).printed).toBe('script run\r\n');
    },
  );

  test('posix-spawn: Ctrl+C reaches its foreground job, and Backspace removes a whole letter', async () => {
    const { printed } = await startProgram('posix-spawn', sh('stty -a'));
    expect(printed.match(/(?<!-)\b(isig|iutf8)/g)?.sort()).toEqual(['isig', 'iutf8']);
  });

  test('posix-spawn: a refusal by the system is reported in words and by its code', async () => {
    const path = join(folder, 'broken');
    writeFileSync(path, '#!/gone/interpreter\n', { mode: 0o755 });
    await expect(startProgram('posix-spawn', { path })).rejects.toThrow('no such file or directory (ENOENT)');
  });

  test('an unknown platform has no posix_spawn: programs are forked', () => {
    expect(loadLibc('linux', 'mips')).toEqual({ missing: 'the C library of linux on mips is not supported' });
    expect(loadLibc('linux', process.arch)).not.toHaveProperty('missing');
  });
});
