import { describe, expect, it } from 'vitest';
import { only, useShells } from '../support/use-shells.js';

const start = useShells();

const NONCE = '0123456789abcdef';
/** The text as lines. */
const lines = (text: string) => text.split(/\r?\n/);

describe('a zsh whose hooks are replaced', () => {
  const RC = `a() { echo "hook $?" }\nprecmd_functions=(a)\npreexec_functions=()\n`;

  it.each(['', 'unsetopt prompt_sp\n', 'setopt err_return ksh_arrays no_unset\n'])(
    'by .zshrc is still followed, also after that is read again (%j)',
    async (more) => {
      const session = await start('zsh', { files: { '.zshrc': RC + more } });
      expect(only(await session.run('(exit 3)')).status).toBe('3');
      const again = await session.run('. ~/.zshrc; (exit 4)');
      expect([only(again).status, again.order]).toEqual(['4', expect.stringMatching(/^E C (D4 )+A P B$/)]);
      for (const status of ['5', '0']) {
        const ran = only(await session.run(`echo out; (exit ${status})`));
        expect([ran.status, ran.output]).toEqual([status, 'out\r\n']);
      }
    },
  );

  it.each(['precmd_functions=()', 'unset precmd_functions preexec_functions', 'preexec_functions=()'])(
    'by %s is still followed',
    async (line) => {
      const session = await start('zsh');
      expect(only(await session.run(line)).status).toBe('0');
      expect(only(await session.run('(exit 6)'))).toMatchObject({ line: '(exit 6)', status: '6' });
    },
  );

  it('keeps the status, and the last word', async () => {
    const session = await start('zsh', { files: { '.zshrc': `PS1='<%?> '\n` } });
    await session.run('(exit 3)');
    expect(only(await session.run('echo "$? last=$_"')).output).toBe('3 last=\r\n');
    await session.run('true word');
    expect(only(await session.run('echo "$? last=$_"')).output).toBe('0 last=word\r\n');
    expect((await session.run('precmd_functions=(); (exit 7)')).text).toContain('<7> ');
  });

  it('shows nothing of ours in its list of scheduled commands', async () => {
    const session = await start('zsh');
    expect(only(await session.run('sched')).output).toBe('');
    expect(only(await session.run('sched +1:00 true; sched -1; sched')).output).toBe('');
  });
});

describe('our code in a zsh', () => {
  it.each<[string, string]>([
    ['TRAPZERR', 'TRAPZERR() { echo TRAPPED }\n'],
    ['a trap for ZERR', `trap 'echo TRAPPED' ZERR\n`],
  ])('does not trigger %s', async (_what, rc) => {
    const session = await start('zsh', { files: { '.zshrc': rc } });
    const quiet = await session.run('echo one');
    expect(quiet.text).not.toMatch(/^TRAPPED/m);
    expect(only(quiet).output).toBe('one\r\n');
    const loud = await session.run('(exit 3)');
    expect([only(loud).status, lines(loud.text).filter((line) => line === 'TRAPPED')]).toEqual([
      '3',
      ['TRAPPED'],
    ]);
    const again = await session.run('precmd_functions=(); (exit 4)');
    expect(lines(again.text).filter((line) => line === 'TRAPPED')).toHaveLength(1);
  });

  it.each<[string, string]>([
    ['TRAPDEBUG', 'TRAPDEBUG() { print TRAPPED }\n'],
    ['a trap for DEBUG', `trap 'print TRAPPED' DEBUG\n`],
  ])('hardly triggers %s, which stays in force', async (_what, rc) => {
    const session = await start('zsh', { files: { '.zshrc': rc } });
    const ran = await session.run('echo one');
    expect(only(ran).output).toBe('TRAPPED\r\none\r\n');
    const trapped = ran.text.match(/TRAPPED/g) ?? [];
    // The trap runs once for each function of ours, and for each of its statements up to the one that removes the trap.
    expect(trapped.length).toBeGreaterThan(0);
    expect(trapped.length).toBeLessThanOrEqual(20);
  });

  it('is not shown by xtrace', async () => {
    const session = await start('zsh', { files: { '.zshrc': `PS4='+ '; setopt xtrace\n` } });
    const first = await session.run('echo one');
    expect(lines(only(first).output).filter(Boolean)).toEqual(['+ echo one', 'one']);
    const text =
      first.text + (await session.run('precmd_functions=()')).text + (await session.run('true')).text;
    expect(text).not.toMatch(/__at_|133;/);
    expect(text).not.toContain(NONCE);
  });

  it('runs no function of the user named like a builtin', async () => {
    const names = ['print', 'emulate', 'trap', 'sched', 'unset', 'eval', 'export', 'typeset', 'local'];
    const rc = names.map((name) => `function ${name} { echo "MINE ${name} $*" }\n`).join('');
    const session = await start('zsh', { files: { '.zshrc': rc } });
    const ran = await session.run('echo one; (exit 3)');
    expect([only(ran).status, only(ran).output]).toEqual(['3', 'one\r\n']);
    const inner = await session.run('zsh -i');
    expect(inner.order).toMatch(/A P B$/);
    const more = await session.run('exit 4');
    // The trap of Debian's own zshrc.
    const theirs = /MINE emulate -L zsh\r?\n/g;
    expect((ran.text + inner.text + more.text).replace(theirs, '')).not.toContain('MINE');
  });
});

describe('a shell within a zsh', () => {
  it.each([
    ['zsh', 'ZDOTDIR', '/nowhere'],
    ['bash', 'ENV', '/nowhere'],
    ['fish', 'XDG_DATA_DIRS', '/nowhere'],
  ])('%s gets no unexported %s', async (inner, name, value) => {
    const session = await start('zsh', { files: { '.zshenv': 'echo read by $ZSH_NAME\n' } });
    await session.run(`${name}=${value}`);
    const { text } = await session.run(inner);
    if (inner === 'zsh') expect(text).toContain('read by zsh');
    const print = inner === 'fish' ? `set -q ${name}; or echo unset` : `echo "\${${name}-unset}"`;
    expect(only(await session.run(print)).output).toMatch(/unset\r\n$/);
    await session.run('exit');
    expect(only(await session.run(`typeset -p ${name}`)).output).toBe(`typeset ${name}=${value}\r\n`);
  });

  it.each(['zsh', 'bash', 'fish'])('%s gets the exported value', async (inner) => {
    const session = await start('zsh', { env: { XDG_DATA_DIRS: '/a:/b', ENV: '/e', ZDOTDIR: '/tmp' } });
    const name = { zsh: 'ZDOTDIR', bash: 'ENV', fish: 'XDG_DATA_DIRS' }[inner]!;
    const value = { zsh: '/tmp', bash: '/e', fish: '/a:/b' }[inner]!;
    await session.run(inner);
    expect(only(await session.run(`echo "$${name}"`)).output).toContain(`${value}\r\n`);
  });

  it.each(['exec $SHELL', 'exec zsh', 'zsh -l'])('is followed if an alias starts it by %s', async (text) => {
    const files = { '.zshrc': `alias reload='${text}'\nalias again=reload\n` };
    const session = await start('zsh', { files, env: { SHELL: '/bin/zsh' } });
    await session.run('again');
    expect(only(await session.run('(exit 3)')).status).toBe('3');
  });
});
