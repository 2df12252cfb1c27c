import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { enteredSpec } from '#dist/workers/pty-host/limits/entered-spec.js';
import type { Entry } from '#dist/workers/pty-host/limits/entry.js';

const SHOW =
  'console.log(JSON.stringify({ name: process.argv0, args: process.argv.slice(1), env: process.env }))';
const CWD = '/';

interface Shown {
  name: string;
  args: string[];
  env: Record<string, string>;
}

/** Starts Node behind the shell as the host would; Node prints its name, arguments and environment. */
function started(env: Record<string, string>, entry: Entry, more: { file?: string; args?: string[] } = {}) {
  const { file = process.execPath, args = [] } = more;
  const spec = enteredSpec(
    {
      file,
      path: process.execPath,
      args: ['-e', SHOW, '--', ...args],
      env,
      cwd: CWD,
      cols: 80,
      rows: 24,
      entry,
    },
    entry,
  );
  // `environmentOf` adds PWD in the same way.
  const given = { ...spec.env, PWD: CWD };
  const { status, stdout, stderr } = spawnSync(spec.path, spec.args, {
    // On a socket, a bash takes itself for the shell of a remote user.
    stdio: ['ignore', 'pipe', 'pipe'],
    ...{ argv0: spec.file, env: given, cwd: CWD, encoding: 'utf8' },
  });
  return { status, stderr, shown: stdout === '' ? null : (JSON.parse(stdout) as Shown) };
}

const ENTRY: Entry = { dataKiB: 1024 * 1024 };
const NODE_FOLDER = join(process.execPath, '..');

describe('a program behind the shell that limits it', () => {
  test.each<[string, Record<string, string>]>([
    ['ordinary variables', { PATH: '/bin', HOME: '/h', LANG: 'C.UTF-8', EMPTY: '' }],
    ['odd values', { PATH: '/bin', A: 'it\'s "$HOME" `x` \\ \n two', B: ' * ', C: 'é\u{1f389}' }],
    ['variables that shells use', { PATH: '/bin', IFS: ':', PS1: '$ ', PS4: '+', LINENO: '7', TERM: 'x' }],
    ['variables of an outer shell', { PATH: '/bin', OLDPWD: '/old', COLUMNS: '80', LINES: '24' }],
    ['a level of shells', { PATH: '/bin', SHLVL: '3' }],
    ['a level of shells, and names that only bash passes on', { PATH: '/bin', SHLVL: '3', 'A.B': 'dot' }],
    ['no PATH', { HOME: '/h' }],
  ])('has %s as they were asked for', (_what, env) => {
    const { shown } = started(env, ENTRY);
    // bash sets `_` to the path of the program.
    const { _: own, ...rest } = shown!.env;
    expect(own === undefined || own === process.execPath).toBe(true);
    expect(rest).toEqual({ ...env, PWD: CWD });
  });

  test('has its name and arguments', () => {
    const args = ['', ' a  b ', "it's", '$HOME', '-x', '\n', '*'];
    const { shown } = started({ PATH: NODE_FOLDER }, ENTRY, { file: 'node', args });
    expect(shown).toMatchObject({ name: 'node', args });
  });

  test('is started by its path where a shell takes its name for an option', () => {
    expect(started({ PATH: NODE_FOLDER }, ENTRY, { file: '-node' }).shown?.name).toBe(process.execPath);
  });

  test('has the limit of data', () => {
    const { shown } = started({ PATH: '/bin', NODE_OPTIONS: '' }, ENTRY);
    expect(shown).not.toBeNull();
    expect(started({ PATH: '/bin' }, { dataKiB: 1 }).status).not.toBe(0);
  });

  test('has entered its group, whatever the name of its folder', () => {
    const folder = mkdtempSync(join(tmpdir(), "a group's "));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const group = join(folder, 'cgroup.procs');
    expect(started({ PATH: '/bin' }, { group }).status).toBe(0);
    expect(readFileSync(group, 'utf8')).toMatch(/^\d+\n$/);
  });

  test('does not start without its limit', () => {
    const group = '/nowhere/cgroup.procs';
    const { status, shown, stderr } = started({ PATH: '/bin' }, { group });
    expect([status, shown, existsSync(group)]).toEqual([125, null, false]);
    expect(stderr).toContain('/nowhere');
  });
});
