import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { only, printedBy, useShells } from '../support/use-shells.js';

const start = useShells();

/** Starts bash and then writes this ~/.bashrc, which `exec bash` reads: in this way its output can be seen. */
async function bash(rc: string) {
  const session = await start('bash');
  await writeFile(join(session.home, '.bashrc'), `PS1='$ '\n${rc}\nprintf 'end of rc\\n' >/dev/tty\n`);
  return session;
}

async function bashWith(rc: string) {
  const session = await bash(rc);
  const { text } = await session.run('exec bash');
  return { session, first: shown(text).split('end of rc\r\n')[1]! };
}

/** Returns the text without the sequences that turn bracketed paste on and off. */
function shown(text: string): string {
  return text.replace(/\x1b\[\?2004[hl]\r?/g, '');
}

describe('options that change how our script runs', () => {
  it.each(['set -o posix', 'export POSIXLY_CORRECT=1'])(
    '%s: commands are reported as before',
    async (line) => {
      const { session } = await bashWith('');
      expect(only(await session.run(line)).status).toBe('0');
      for (const status of ['3', '4']) {
        expect(only(await session.run(`echo one; (exit ${status})`))).toMatchObject({
          status,
          output: 'one\r\n',
        });
      }
      expect(only(await session.run('shopt -o posix')).output).toMatch(/on\r\n$/);
      expect(only(await session.run('set +o posix; false')).status).toBe('1');
      expect(only(await session.run('(exit 5)')).status).toBe('5');
    },
  );

  it.each(['set -u', `set -u; PROMPT_COMMAND='echo "<pc>"'`, `set -u; unset PS1 PS0`, 'set -aeuTE'])(
    '%s in ~/.bashrc: commands are reported and nothing else is printed',
    async (rc) => {
      const { session, first } = await bashWith(rc);
      expect(first.replace('<pc>\r\n', '')).toMatch(/^(\$ )?$/);
      expect(only(await session.run('echo a; (exit 3) || true'))).toMatchObject({
        status: '0',
        output: 'a\r\n',
      });
      expect(only(await session.run('echo "$-"')).output).toBe(only(await session.run('echo "$-"')).output);
      expect(only(await session.run('set +e; (exit 3)')).status).toBe('3');
      expect(only(await session.run('set -o posix; cd /')).status).toBe('0');
      expect(only(await session.run('env | grep -c 0123456789abcdef')).output).toBe('0\r\n');
    },
  );

  it.each([
    ['unset HISTFILE', '.bash_history'],
    ['export HISTFILE=~/.sh_history', '.sh_history'],
    ['export HISTFILE=~/other', 'other'],
  ])('after %s, a bash that starts in POSIX mode keeps its history in %s', async (line, file) => {
    const { session } = await bashWith('');
    await session.run(line);
    await session.run('exec bash');
    expect(printedBy(only(await session.run('echo "$HISTFILE"')))).toBe(`${join(session.home, file)}\n`);
  });

  it('set -x in ~/.bashrc shows nothing of ours', async () => {
    const { session, first } = await bashWith('set -x');
    expect(first).not.toMatch(/__at_|0123456789abcdef/);
    const ran = await session.run('echo one');
    expect(ran.text).not.toMatch(/__at_/);
    expect(printedBy(only(ran))).toMatch(/one\n$/);
  });

  it('set -T and a DEBUG trap: line and status are reported, and the trap sees little of ours', async () => {
    const { session } = await bashWith(
      `set -T; trap 'echo "DBG $BASH_COMMAND"' DEBUG; trap 'echo RET' RETURN`,
    );
    const ran = await session.run('echo one; (exit 3)');
    const command = only(ran);
    expect([command.line, command.status]).toEqual(['echo one; (exit 3)', '3']);
    expect(command.output).toMatch(/^DBG echo one\r\none\r\n/);
    expect(ran.text.match(/DBG|RET/g)!.length).toBeLessThan(50);
    expect(only(await session.run('f() { echo in; }; f')).output).toMatch(
      /DBG echo in\r\nin\r\n(DBG echo in\r\n)?RET\r\n/,
    );
  });
});

describe("the user's readonly variables", () => {
  it.each([
    `PROMPT_COMMAND='echo "<$?>"'; readonly PROMPT_COMMAND`,
    'readonly PROMPT_COMMAND',
    'readonly PS1',
    `PS0='p0 '; readonly PS0`,
  ])('%s: the shell is left alone', async (rc) => {
    const session = await bash(rc);
    session.type('exec bash\r');
    await session.until('it asks', (_marks, text) => text.endsWith('\x1b[?2004h$ '));
    session.type('(exit 3)\r');
    session.type(`echo "[$?]" 'e'nd\r`);
    let printed = '';
    let order = '';
    await session.until('it has run', (marks, text) => {
      printed = text;
      order = marks.map(({ letter }) => letter).join('');
      return /\[3\] end\r\n.*\$ $/s.test(text);
    });
    expect(printed).not.toMatch(/readonly|__at|unbound/);
    // The marks of `exec bash`.
    expect(order).toBe('DEC');
  });

  it.each(['readonly PROMPT_COMMAND', 'readonly PS1 PS0'])(
    '%s at the prompt changes nothing',
    async (line) => {
      const { session } = await bashWith(`PROMPT_COMMAND='echo "<$?>"'`);
      expect(only(await session.run(line)).status).toBe('0');
      for (const status of ['3', '4']) {
        const ran = await session.run(`(exit ${status})`);
        expect(only(ran)).toMatchObject({ status, output: '' });
        expect(shown(ran.text)).toMatch(new RegExp(`<${status}>\r\n\\$ $`));
      }
    },
  );

  it('names like those that our script could use', async () => {
    const names = 'text status line code char i first head tail end pipe before natural shell quoted element';
    const { session, first } = await bashWith(
      names
        .split(' ')
        .map((name) => `readonly ${name}=7`)
        .join('\n'),
    );
    expect(first).toBe('$ ');
    const ran = await session.run('echo "a;b"; (exit 3)');
    expect(only(ran)).toMatchObject({ line: 'echo "a;b"; (exit 3)', status: '3', output: 'a;b\r\n' });
    expect((await session.run('bash')).commands).toEqual([]);
    expect(only(await session.run('(exit 4)')).status).toBe('4');
  });
});

describe('nested shells', () => {
  it('follows an alias that starts a shell or replaces the shell by another', async () => {
    const { session } = await bashWith(`alias reload='exec $SHELL' inner=bash`);
    await session.run(`SHELL=$BASH`);
    expect(only(await session.run('reload'))).toMatchObject({ line: 'reload', status: null });
    expect((await session.run('inner -l')).commands).toEqual([]);
    expect(only(await session.run('(exit 4)')).status).toBe('4');
  });

  it('takes no quadratic time for a long line', async () => {
    const { session } = await bashWith('');
    // Seconds used by the shell's children, among them those that PS0 starts.
    const used = async () => {
      const [, minutes, seconds] = /(\d+)m([\d.]+)s \S+\r\n$/.exec(only(await session.run('times')).output)!;
      return Number(minutes) * 60 + Number(seconds);
    };
    const before = await used();
    const ran = only(await session.paste(`cat >/dev/null <<'END'\n${'basfiszs\n'.repeat(2_200)}END`));
    expect(ran.status).toBe('0');
    expect((await used()) - before).toBeLessThan(0.8);
  });
});
