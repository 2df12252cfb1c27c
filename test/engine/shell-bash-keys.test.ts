import { describe, expect, it } from 'vitest';
import { KEYS, type ShellSession } from '../support/shell-session.js';
import { only, printedBy, useShells } from '../support/use-shells.js';

const start = useShells();
const PROMPT = "PS1='$ '";
const bash = (rc = '', args: string[] = []) =>
  start('bash', { args, files: { '.bashrc': `${PROMPT}\n${rc}` } });

/** Runs a command by its key, puts the draft back, and returns the lines that Enter then runs. */
async function lineAfter(session: ShellSession, typed = ''): Promise<string> {
  const ran = await session.runByKey('echo "by key"; (exit 3)');
  expect(only(ran)).toEqual({ line: 'echo "by key"; (exit 3)', status: '3', output: 'by key\r\n' });
  expect(ran.told.find((told) => told.startsWith('R'))).toMatch(new RegExp(`^R;${ran.token};\\d+;\\d+$`));
  expect(await session.claimed()).toContain(ran.token);
  session.type(typed);
  await session.key('Q');
  return (await session.run('')).commands.map(({ line }) => line).join('\n');
}

describe('a command that is run by its key', () => {
  const VI = 'set -o vi';
  it.each([
    ['nothing', '', [], ''],
    ['a draft', '', ['echo draft'], ''],
    ['the cursor in the midst', '', ['echo dr Grüße 日本', '\x1b[D\x1b[D'], 'echo dr Grüße mit日本'],
    ['half a path after Tab', '', ['echo /etc/host\t'], ''],
    ['a multi-line draft', '', ['\x1b[200~echo a\recho b\x1b[201~'], 'echo a\necho bmit'],
    ['a line of the history', '', ['\x1b[A'], ''],
    ['a reverse search', '', ['\x12earl'], 'echo mitearlier'],
    ['a numeric argument', '', ['echo x\x1b5'], 'echo xmit'],
    ['a character search', '', ['echo x\x1d'], 'echo xmit'],
    ['insert mode of vi', VI, ['echo draft'], 'echo draftmit'],
    ['command mode of vi', VI, ['echo draft', '\x1b'], 'echo drafmitt'],
    ['d of vi', VI, ['echo draft', '\x1b', 'd'], 'echo drafmitt'],
    ['2d of vi', VI, ['echo draft', '\x1b', '2d'], 'echo drafmitt'],
    ['f of vi', VI, ['echo draft', '\x1b', 'f'], 'echo drafmitt'],
    ['r of vi', VI, ['echo draft', '\x1b', 'r'], 'echo drafmitt'],
    ['a reverse search in vi mode', VI, ['\x12earl'], 'echo mitearlier'],
  ])('leaves %s as it is', async (what, rc, typed, expected) => {
    const session = await bash(rc);
    await session.run('echo earlier');
    for (const text of typed) {
      session.type(text);
      await session.asleep();
    }
    if (what === 'nothing') {
      expect(await lineAfter(session, 'echo ')).toBe('echo ');
    } else {
      const line = await lineAfter(session, 'mit');
      expect(line).toBe(expected || line);
      expect(line).toMatch(/^echo [\s\S]*mit/);
    }
  });

  it('keeps the draft of the run before, though nothing has put that back', async () => {
    const session = await bash();
    for (const text of ['echo draft', '\x1b[D\x1b[D']) {
      session.type(text);
      await session.asleep();
    }
    await session.runByKey('echo one');
    session.type('mit');
    await session.asleep();
    expect((await session.runByKey('echo two')).told[0]).toMatch(/;13$/);
    expect(await lineAfter(session, 'ted')).toBe('echo dramittedft');
  });

  it.each([
    ['a quoted insert', ['echo ab', '\x16']],
    ['a quoted insert of vi', ['echo ab', '\x16']],
    ['an ESC', ['echo ab', '\x1b']],
    ['a Ctrl+X', ['echo ab', '\x18']],
  ])('is swallowed by %s, and the next try runs it', async (what, typed) => {
    const session = await bash(what.endsWith('vi') ? 'set -o vi' : '');
    for (const text of typed) {
      session.type(text);
      await session.asleep();
    }
    const token = await session.stage('echo no');
    session.type(KEYS.run);
    await session.key('L');
    expect(await session.claimed()).toEqual([]);
    expect(token).toBe('run-1_x');
    expect(await lineAfter(session, 'c')).toBe('echo abc');
  });

  it.each([
    ['tabs and quotes', `printf '%s|' "a\tb" 'c"d' $'e\\'f'`, `a\tb|c"d|e'f|`],
    ['UTF-8', 'echo "Grüße 日本語 🎉"', 'Grüße 日本語 🎉\n'],
    ['one that spans lines', '{ echo a\n  echo "b\nc"\n}', 'a\nb\nc\n'],
    ['a here document', "cat <<'END'\n$x `y`\n\nEND", '$x `y`\n\n'],
    ['100 kB', `echo "${'0123456789'.repeat(10_000)}" | wc -c`, '100001\n'],
    ['a line end behind it', 'echo a\n', 'a\n'],
  ])('may be %s', async (_what, command, printed) => {
    const session = await bash();
    session.type('a draft');
    const ran = only(await session.runByKey(command));
    expect(printedBy(ran)).toBe(printed);
    // The line as the history holds it.
    expect(ran.line).toBe(
      command.replace('a\n  e', 'a;   e').replace('\n}', '; }').trimEnd().slice(0, 16_384),
    );
    expect(ran.status).toBe('0');
  });

  it('may be several commands, blank, a comment or a syntax error', async () => {
    const session = await bash();
    await session.run('(exit 4)');
    const several = await session.runByKey('echo a\necho b');
    expect(several.commands.map(({ line, status }) => [line, status])).toEqual([
      ['echo a', '0'],
      ['echo b', '0'],
    ]);
    expect(several.told).toEqual([`R;${several.token};4;0`]);
    expect((await session.runByKey('  ')).commands).toEqual([]);
    expect((await session.runByKey('')).commands).toEqual([]);
    expect((await session.runByKey('# nothing')).commands).toEqual([]);
    const refused = await session.runByKey(')');
    expect(refused.text).toMatch(/syntax error/);
    expect(refused.told).toHaveLength(1);
    expect(only(await session.runByKey('echo "$?"'))).toMatchObject({ output: '2\r\n' });
  });

  it('is not finished at PS2, which reports it, and where no other is run', async () => {
    const session = await bash();
    session.type('draft');
    await session.stage('for i in 1 2; do');
    session.type(KEYS.run);
    await session.until('PS2', (marks) => marks.some(({ letter }) => letter === 'S'));
    const other = await session.stage('echo no');
    session.type(KEYS.run);
    await session.key('L');
    expect(await session.claimed()).not.toContain(other);
    await session.asleep();
    session.type('\x03');
    // bash draws PS2 again after a key.
    expect(new Set((await session.prompt()).told)).toEqual(new Set(['R;run-1_x;0;5', 'S;2', 'L;1']));
    await session.key('Q');
    expect(only(await session.run('')).line).toBe('draft');
    expect(only(await session.run(`echo "<$PS2>" | cut -c 1-3`)).output).toBe('<> \r\n');
  });

  it('is run with its history words, also if these are to be verified', async () => {
    const session = await bash('shopt -s histverify histreedit');
    await session.run('echo earlier');
    expect(only(await session.runByKey('echo two !!:1'))).toMatchObject({ output: 'two earlier\r\n' });
    expect(only(await session.run('shopt histverify')).output).toMatch(/on/);
    session.type('draft');
    await session.stage('echo "hi !there"');
    session.type(KEYS.run);
    await session.until(
      'the refusal',
      (marks, text) => /event not found[\s\S]*B;n=\d+;k/.test(text) && marks.length > 1,
    );
    await session.key('Q');
    expect(only(await session.run('')).line).toBe('draft');
    expect(only(await session.run('history | tail -4')).output).toMatch(
      /echo two earlier\r\n.*shopt histverify\r\n.*draft\r\n.*history/,
    );
  });

  it('is read neither by read -e nor twice, and not without a token', async () => {
    const session = await bash();
    session.type(KEYS.run);
    await session.key('L');
    for (const line of ['', 'token', '\n', 'a/b\necho', '../x\necho', 'a b\necho']) {
      await session.stage('');
      await session.overwrite(line);
      session.type(KEYS.run);
      await session.key('L');
    }
    await session.runByKey('echo once');
    session.type(KEYS.run);
    await session.key('L');
    expect((await session.run('')).commands).toEqual([]);
    await session.stage('injected');
    session.type('read -e line\r');
    await session.until('the command', (marks) => marks.some(({ letter }) => letter === 'C'));
    await session.asleep();
    session.type(KEYS.run);
    await session.key('L');
    const ran = await session.run('typed');
    expect(only(ran)).toMatchObject({ line: 'read -e line', status: '0' });
    expect(only(await session.run('echo "<$line>"')).output).toBe('<typed>\r\n');
    expect(await session.claimed()).toEqual(['run-7_x']);
  });

  it('is reported after the marks were lost', async () => {
    const session = await bash();
    session.type('unset PROMPT_COMMAND PS0 PS1; (exit 5)\r');
    await session.until('the command', (marks) => marks.some(({ letter }) => letter === 'C'));
    session.type('echo dr');
    await session.asleep();
    const token = await session.stage('(exit 6)');
    session.type(KEYS.run);
    await session.until('its end', (marks) => marks.filter(({ letter }) => letter === 'B').length > 2);
    const { told, commands } = await session.prompt();
    expect(told).toEqual([]);
    expect(commands.map(({ status }) => status)).toEqual(['5']);
    const ran = await session.prompt();
    expect([only(ran).status, ran.told]).toEqual(['6', [`R;${token};5;7`]]);
    await session.key('Q');
    expect(only(await session.run('aft')).output).toBe('draft\r\n');
  });
});
