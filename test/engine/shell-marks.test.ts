import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { only, printedBy, useShells } from '../support/use-shells.js';

const start = useShells();

const exits = (status: number, shell: string) =>
  shell === 'fish' ? `sh -c 'exit ${status}'` : `(exit ${status})`;

describe.each(['bash', 'zsh', 'fish'])('%s', (shell) => {
  it('reports for each command its line, its status and exactly its output', async () => {
    const session = await start(shell);
    for (const status of [0, 1, 2, 127, 200, 255]) {
      const line = `printf 'a\\n\\n  b ${status}'; ${exits(status, shell)}`;
      const ran = only(await session.run(line));
      expect([ran.line, ran.status, printedBy(ran)]).toEqual([
        line,
        `${status}`,
        `a

  b ${status}`,
      ]);
    }
    expect(only(await session.run('false | true')).status).toBe('0');
    expect(only(await session.run('true | false')).status).toBe('1');
    expect(only(await session.run('no-such-command')).status).toBe('127');
    expect(only(await session.run(`sh -c 'kill -KILL $$'`)).status).toBe('137');
    expect(printedBy(only(await session.run('true')))).toBe('');
  });

  it('ends each prompt in a B, also without a command, after Ctrl+C, and after a syntax error', async () => {
    const session = await start(shell);
    for (const keys of ['\r', 'half a line', ')\r', '\r']) {
      session.type(keys);
      if (!keys.endsWith('\r')) {
        // fish draws the line once more in colours, and does not notice Ctrl+C before that.
        const drawn = shell === 'fish' ? '\x1b[36mline' : 'line';
        await session.until('it is echoed', (_marks, text) => text.includes(drawn));
        await session.asleep();
        session.type('\x03');
      }
      const { commands, order } = await session.prompt();
      expect(commands).toEqual([]);
      expect(order).toMatch(/A P B$/);
    }
    // fish keeps the faulty line, so that the user can correct it.
    session.type(shell === 'fish' ? '\x15' : '');
    expect(only(await session.run('echo still')).line).toBe('echo still');
  });

  it('reports a command that Ctrl+C ends', async () => {
    const session = await start(shell);
    session.type(`sh -c 'printf ready; exec sleep 60'\r`);
    await session.until('it runs', (marks, text) => marks.at(-1)?.letter === 'C' && text.endsWith('ready'));
    session.type('\x03');
    expect(only(await session.prompt()).status).toBe('130');
  });

  it('reports the line as it was typed, whatever it contains', async () => {
    const session = await start(shell, { cols: 200 });
    for (const text of [
      'a;b',
      'x\\y\\\\z',
      'Grüße 日本語 🎉',
      '%s %% \\x3b',
      '[*]?',
      '{a,b}',
      '\u0085\u009c',
    ]) {
      const line = `echo '${text}'`;
      const ran = only(await session.run(line));
      expect(ran.line).toBe(line);
      if (shell === 'bash') expect(printedBy(ran)).toBe(`${text}\n`);
    }
    expect(only(await session.run(' echo hidden')).line ?? '').toMatch(/^( echo hidden)?$/);
    expect(only(await session.run('echo twice; echo twice')).line).toBe('echo twice; echo twice');
    const long = `true ${'x'.repeat(3_000)}`;
    expect(only(await session.run(long)).line).toBe(long);
  });

  it('reports the folder, whatever its name', async () => {
    const session = await start(shell);
    for (const name of [
      'with space',
      'semi;colon',
      'Ünïcödé 日本',
      'back\\slash',
      "quo'te",
      'line\nfeed',
      '-n',
    ]) {
      await mkdir(join(session.home, name));
      const quoted = shell === 'fish' ? name.replace(/[\\']/g, '\\$&') : name.replaceAll("'", `'\\''`);
      expect((await session.paste(`cd ~/'${quoted}'`)).cwd).toBe(join(session.home, name));
    }
  });

  it('follows background jobs, loops and here-documents', async () => {
    const session = await start(shell);
    const loop =
      shell === 'fish'
        ? 'for i in 1 2; echo n$i; end'
        : 'for i in 1 2; do echo n$i; done; f() { return 7; }; f';
    const looped = only(await session.run(loop));
    expect([printedBy(looped), looped.status]).toEqual(['n1\nn2\n', shell === 'fish' ? '0' : '7']);
    const job = only(await session.run(`sleep 0.05 & echo front; wait; ${exits(9, shell)}`));
    expect([printedBy(job).includes('front\n'), job.status]).toEqual([true, '9']);
    if (shell !== 'fish') {
      const here = only(await session.paste(`cat <<'END'\none\n\ttwo $x\nEND`));
      expect([printedBy(here), here.status]).toEqual(['one\n\ttwo $x\n', '0']);
    }
  });

  it('follows a shell that replaces itself, and nested shells', async () => {
    const session = await start(shell);
    const replaced = await session.run(`exec ${shell}`);
    expect(only(replaced)).toMatchObject({ line: `exec ${shell}`, status: null });
    expect(only(await session.run(exits(3, shell))).status).toBe('3');
    for (const inner of ['bash', 'zsh', 'fish']) {
      // The start of the inner shell ends no command.
      expect((await session.run(inner)).commands).toEqual([]);
      expect(only(await session.run(exits(4, inner))).status).toBe('4');
      const { commands } = await session.run('exit 5');
      expect(commands.map(({ status }) => status)).toContain('5');
    }
    expect(only(await session.run(exits(6, shell))).status).toBe('6');
  });

  it('shows its secret to no program', async () => {
    const session = await start(shell);
    const isSecret = (text: string) => /0123456789abcdef|AUTO_TERMINAL|shell-integration/.test(text);
    const check = async () => {
      const { output } = only(await session.run('env'));
      expect(output).toContain('HOME=');
      expect(isSecret(output)).toBe(false);
    };
    await check();
    for (const inner of ['bash', 'zsh', 'fish']) {
      await session.run(inner);
      await check();
      await session.run('exit');
      await check();
    }
    await session.run('sh -c env; bash -c env');
    expect(isSecret((await session.run('bash -c env; zsh -c env; fish -c env')).commands[0]!.output)).toBe(
      false,
    );
  });

  it('ends with its own exit code', async () => {
    const session = await start(shell);
    session.type('exit 3\r');
    const { exit, ran } = await session.end();
    expect(exit.exitCode).toBe(3);
    expect(ran.order).toMatch(shell === 'fish' ? /E C D3$/ : /E C$/);
  });
});
