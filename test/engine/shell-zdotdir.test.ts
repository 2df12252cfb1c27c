import { spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { only, useShells } from '../support/use-shells.js';

const start = useShells();

const ZSHENV = '/etc/zsh/zshenv';
/** Options of `unshare` with which this user may hide a system file from a process; undefined if the user may not. */
const UNSHARE = ['-m', '-Urm'].find(
  (flags) => spawnSync('sh', ['-c', `unshare ${flags} mount --bind /dev/null ${ZSHENV}`]).status === 0,
);

describe.skipIf(UNSHARE === undefined)('a zsh whose system has a zshenv that sets ZDOTDIR', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'zdotdir-'));
    const inner = `mount --bind "$0" ${ZSHENV} && exec /usr/bin/env zsh "$@"`;
    const script = `#!/bin/sh\nexec unshare ${UNSHARE} sh -c '${inner}' "$SYSTEM_ZSHENV" "$@"\n`;
    await writeFile(join(folder, 'zsh'), script, { mode: 0o755 });
  });
  afterAll(() => rm(folder, { recursive: true }));

  /**
   * Resolves with ZDOTDIR in the shell and in a program's environment, and with the user's files that the shell read.
   */
  async function startWith(zshenv: string, env: Record<string, string> = {}) {
    const path = join(folder, 'zshenv');
    await writeFile(path, zshenv);
    const files = Object.fromEntries(
      ['', 'zd/', 'mine/'].flatMap((at) => [
        [`${at}.zshenv`, `READ+=" ${at}.zshenv"\n`],
        [`${at}.zshrc`, `READ+=" ${at}.zshrc"\n`],
      ]),
    );
    const session = await start(join(folder, 'zsh'), { files, env: { SYSTEM_ZSHENV: path, ...env } });
    const shown = only(await session.run(`print -r -- "\${ZDOTDIR-unset}|$READ"`)).output;
    const passed = only(await session.run('env')).output;
    expect(passed).not.toMatch(/AUTO_TERMINAL|shell-integration/);
    const inEnv = /^ZDOTDIR=(.*?)\r?$/m.exec(passed)?.[1] ?? 'unset';
    return [...shown.trim().split('|'), inEnv].map((text) => text.replaceAll(session.home, '~'));
  }

  it.each<[string, string, string[]]>([
    ['exported', `export ZDOTDIR="\${ZDOTDIR:-$HOME/zd}"`, ['~/zd', ' zd/.zshenv zd/.zshrc', '~/zd']],
    ['for itself', `ZDOTDIR="\${ZDOTDIR:-$HOME/zd}"`, ['~/zd', ' zd/.zshenv zd/.zshrc', 'unset']],
    [
      'and prints something',
      `echo noise=export=/; echo noise >&2\n: \${ZDOTDIR:=$HOME/zd}\nexport ZDOTDIR`,
      ['~/zd', ' zd/.zshenv zd/.zshrc', '~/zd'],
    ],
    ['to others', `[[ $USER == nobody ]] && : \${ZDOTDIR:=$HOME/zd}`, ['unset', ' .zshenv .zshrc', 'unset']],
  ])('%s', async (_what, zshenv, told) => {
    expect(await startWith(zshenv)).toEqual(told);
  });

  it('keeps the value it was started with', async () => {
    const home = await mkdtemp(join(folder, 'own-'));
    await writeFile(join(home, '.zshrc'), 'READ+=mine\n');
    const told = await startWith(`export ZDOTDIR="\${ZDOTDIR:-$HOME/zd}"`, { ZDOTDIR: home });
    expect(told).toEqual([home, 'mine', home]);
  });
});

describe.each(['bash', 'fish'])('a zsh in a %s, which would not read our script', (shell) => {
  it('is started as it is, and finds nothing of ours', async () => {
    const session = await start(shell, { files: { '.zshrc': '' }, isZdotdirForced: true });
    session.type('zsh\r');
    await session.until('it runs', (marks) => marks.at(-1)?.letter === 'C');
    session.type('env; exit 5\r');
    const ran = await session.prompt();
    expect(only(ran)).toMatchObject({ line: 'zsh', status: '5' });
    expect(ran.text).toContain('HOME=');
    expect(ran.text).not.toMatch(/AUTO_TERMINAL|shell-integration|0123456789abcdef/);
    // A nested integrated shell would pass on any variable of ours that it inherits.
    for (const inner of ['bash', 'fish']) {
      await session.run(inner);
      const { output } = only(await session.run('env'));
      expect(output).not.toMatch(/AUTO_TERMINAL/);
      session.type('zsh\r');
      await session.until('it runs', (marks) => marks.at(-1)?.letter === 'C');
      session.type('env; exit 6\r');
      const deeper = await session.prompt();
      expect(only(deeper)).toMatchObject({ line: 'zsh', status: '6' });
      expect(deeper.text).not.toMatch(/AUTO_TERMINAL|shell-integration|0123456789abcdef/);
      await session.run('exit');
    }
  });
});
