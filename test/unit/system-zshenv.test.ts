import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { integrate } from '#dist/actors/shell-integration/integrate.js';
import { forcesZdotdir, zdotdirForce } from '#dist/actors/shell-integration/system-zshenv.js';

describe('a zshenv that sets ZDOTDIR unconditionally', () => {
  it.each([
    'export ZDOTDIR=$HOME/zd',
    'export ZDOTDIR="$HOME/.config/zsh"',
    'ZDOTDIR=~/.zsh; [[ -r $ZDOTDIR/.zshrc ]] || unset ZDOTDIR',
    `export XDG_CONFIG_HOME=~/.config ZDOTDIR="\${XDG_CONFIG_HOME:-$HOME/.config}/zsh"`,
    `# ZDOTDIR was: \${ZDOTDIR:-$HOME}\ntypeset -gx 'ZDOTDIR=/zsh'`,
    'if [[ -d ~/zd ]]; then\n\texport ZDOTDIR=~/zd # $ZDOTDIR\nfi',
    'typeset -x ZDOTDIR\nZDOTDIR=/zsh',
    'unset ZDOTDIR; ZDOTDIR=/zsh',
  ])('%j', (text) => {
    expect(forcesZdotdir(text)).toBe(true);
  });
});

describe('a zshenv that keeps an existing ZDOTDIR', () => {
  it.each([
    '',
    'export PATH=/usr/bin:$PATH',
    '# export ZDOTDIR=$HOME/zd',
    'true # ZDOTDIR=/zsh',
    `export ZDOTDIR="\${ZDOTDIR:-$HOME/zd}"`,
    `export ZDOTDIR=\${ZDOTDIR-$HOME/zd}`,
    `: \${ZDOTDIR:=$HOME/.config/zsh}; export ZDOTDIR`,
    '[[ -n $ZDOTDIR ]] || export ZDOTDIR=$HOME/zd',
    `if [[ -z "\${ZDOTDIR}" ]]; then\n  export ZDOTDIR=$HOME/zd\nfi`,
    '[[ -v ZDOTDIR ]] || ZDOTDIR=/zsh',
    `(( \${+ZDOTDIR} )) || ZDOTDIR=/zsh`,
    '(( $+parameters[ZDOTDIR] )) || ZDOTDIR=/zsh',
    'MY_ZDOTDIR=/zsh',
  ])('%j', (text) => {
    expect(forcesZdotdir(text)).toBe(false);
  });
});

describe('the zshenv of the system', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'zshenv-'));
  });
  afterAll(() => rm(folder, { recursive: true }));

  it('is read again once it has changed, and may be missing', async () => {
    const [one, other] = [join(folder, 'one'), join(folder, 'other')];
    const isForced = zdotdirForce([one, other, join(folder, 'no/such/file'), folder]);
    expect(isForced()).toBe(false);
    await writeFile(other, 'export ZDOTDIR=/zsh\n');
    expect([isForced(), isForced()]).toEqual([true, true]);
    await writeFile(other, `export ZDOTDIR=\${ZDOTDIR:-/zsh}\n`);
    expect(isForced()).toBe(false);
    await writeFile(one, 'ZDOTDIR=/zsh\n');
    expect(isForced()).toBe(true);
    await rm(one);
    expect(isForced()).toBe(false);
  });

  it.each([true, false])('decides whether a zsh is integrated: %s', (isForced) => {
    const asked = { args: ['-l'], env: { HOME: '/home/me' } };
    const parts = {
      ...{ nonce: 'N', lines: '/run/lines/term_1', folder: '/f', platform: 'linux' },
      isZdotdirForced: () => isForced,
    };
    const zsh = integrate({ file: '/bin/zsh', ...asked }, parts);
    const bash = integrate({ file: '/bin/bash', args: [], env: {} }, parts);
    const fish = integrate({ file: '/bin/fish', args: [], env: {} }, parts);
    const plain = [bash, fish].map(({ shell, env }) => [shell, env.AUTO_TERMINAL_PLAIN]);
    if (isForced) {
      expect(zsh).toEqual({ shell: null, file: '/bin/zsh', ...asked });
      expect(plain).toEqual([
        ['bash', 'zsh'],
        ['fish', 'zsh'],
      ]);
    } else {
      expect(zsh).toMatchObject({ shell: 'zsh', env: { AUTO_TERMINAL_NONCE: 'N', ZDOTDIR: '/f/zsh' } });
      expect(plain).toEqual([
        ['bash', undefined],
        ['fish', undefined],
      ]);
    }
  });
});
