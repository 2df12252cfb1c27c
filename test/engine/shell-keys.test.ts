import { describe, expect, it } from 'vitest';
import { KEYS, type ShellOptions, type ShellSession } from '../support/shell-session.js';
import { only, printedBy, useShells } from '../support/use-shells.js';

const startShell = useShells();
const FISH = "function fish_prompt; echo -n '$ '; end; function fish_mode_prompt; end\n";

function start(shell: string, rc = '', options: ShellOptions = {}): Promise<ShellSession> {
  if (shell === 'zsh') return startShell('zsh', { ...options, files: { '.zshrc': `PS1='$ '\n${rc}` } });
  return startShell('fish', { ...options, files: { '.config/fish/config.fish': FISH + rc } });
}

const ending = (shell: string, status: number) =>
  shell === 'fish' ? `sh -c 'exit ${status}'` : `(exit ${status})`;

async function typeAll(session: ShellSession, typed: string[]): Promise<void> {
  for (const text of typed) {
    session.type(text);
    await session.asleep();
  }
}

/** Runs a command by its key, puts the draft back, and returns the line that Enter then runs. */
async function lineAfter(session: ShellSession, shell: string, typed: string): Promise<string | null> {
  const command = `echo "by key"; ${ending(shell, 3)}`;
  const ran = await session.runByKey(command);
  const ended = only(ran);
  expect([ended.line, ended.status, printedBy(ended)]).toEqual([command, '3', 'by key\n']);
  expect(ran.told.find((told) => told.startsWith('R'))).toMatch(new RegExp(`^R;${ran.token};\\d+;\\d+$`));
  expect(await session.claimed()).toContain(ran.token);
  session.type(typed);
  await session.key('Q');
  return only(await session.run('')).line;
}

/** Whether the shell in this state takes the key for another key, or only ends the state by it. */
function isSwallowedBy(shell: string, state: string): boolean {
  return (shell === 'fish') === ['a reverse search'].includes(state);
}

describe.each(['zsh', 'fish'])('%s: a command that is run by its key', (shell) => {
  const VI = shell === 'zsh' ? 'bindkey -v' : 'fish_vi_key_bindings';
  // fish stays in its former mode.
  const normal = (expected: string) => (shell === 'zsh' ? expected : 'echo draft');
  const late = (text: string) => (shell === 'zsh' ? text : '');

  it.each([
    ['a draft', '', ['echo draft'], 'mit', 'echo draftmit'],
    ['the cursor in the midst', '', ['echo Grüße 日本', '\x1b[D\x1b[D'], 'mit', 'echo Grüße mit日本'],
    ['a multi-line draft', '', ['echo "a\r', 'b"'], 'mit', shell === 'zsh' ? '' : 'echo "a\nb"mit'],
    ['a line of the history', '', ['\x1b[A'], 'mit', 'echo earliermit'],
    ['half a path after Tab', '', ['echo /etc/hostna\t'], 'mit', /^echo \/etc\/hostname ?mit$/],
    ['insert mode of vi', VI, ['echo draft'], 'mit', 'echo draftmit'],
    ['command mode of vi', VI, ['echo draft', '\x1b'], late('mit'), normal('echo drafmitt')],
    ['d of vi', VI, ['echo draft', '\x1b', 'd'], late('mit'), normal('echo drafmitt')],
    ['2d of vi', VI, ['echo draft', '\x1b', '2d'], late('mit'), normal('echo drafmitt')],
    ['f of vi', VI, ['echo draft', '\x1b', 'f'], late('mit'), normal('echo drafmitt')],
    ['r of vi', VI, ['echo draft', '\x1b', 'r'], late('mit'), normal('echo drafmitt')],
    ['visual mode of vi', VI, ['echo draft', '\x1b', 'v'], late('mit'), normal('echo drafmitt')],
  ])('leaves %s as it is', async (_what, rc, typed, ahead, expected) => {
    if (expected === '') return;
    const session = await start(shell, rc);
    await session.run('echo earlier');
    await typeAll(session, typed);
    const line = await lineAfter(session, shell, ahead);
    if (typeof expected === 'string') expect(line).toBe(expected);
    else expect(line).toMatch(expected);
  });

  it.each([
    ['a quoted insert', ['echo ab', '\x16']],
    ['an ESC', ['echo ab', '\x1b']],
    ['a reverse search', ['\x12ab']],
  ])('may be swallowed by %s: the next try runs it', async (what, typed) => {
    const session = await start(shell);
    await session.run('echo abc');
    await typeAll(session, typed);
    await session.stage('echo ready');
    session.type(KEYS.run);
    // A shell that runs the command reads the next key only afterwards.
    await session.until(
      'R or rest',
      (marks) => marks.some(({ letter }) => letter === 'R') || isSwallowedBy(shell, what),
    );
    if (isSwallowedBy(shell, what)) {
      await session.key('L');
      expect(await session.claimed()).toEqual([]);
      // The service retries in the same way. fish opens a search in the background: the search may open only now, and
      // take the next try, too.
      while ((await session.claimed()).length === 0) {
        session.type(KEYS.run);
        await session.key('L');
      }
    }
    // The search may also replace the staged line with its own; the service then reports that it knows no end.
    const mayReplace = shell === 'fish' && what === 'a reverse search';
    const { line } = only(await session.prompt());
    expect(mayReplace ? ['echo ready', 'echo abc'] : ['echo ready']).toContain(line);
    await session.key('Q');
    expect(await lineAfter(session, shell, 'c')).toMatch(/^(echo )?(abc|cabc|abcc)|c$/);
  });

  it.each([
    ['tabs and quotes', `printf '%s|' "a\tb" 'c"d' e\\'f`, `a\tb|c"d|e'f|`],
    ['UTF-8', 'echo "Grüße 日本語 🎉"', 'Grüße 日本語 🎉\n'],
    ['one with lines in it', 'echo "a\nb"', 'a\nb\n'],
    ['several', 'echo a\n\techo b', 'a\nb\n'],
    ['100 kB', `echo "${'0123456789'.repeat(10_000)}" | wc -c`, '100001\n'],
  ])('may be %s', async (_what, command, printed) => {
    const session = await start(shell);
    session.type('a draft');
    const ran = only(await session.runByKey(command));
    expect([printedBy(ran).replace(/^ +/, ''), ran.status]).toEqual([printed, '0']);
    expect(command.startsWith(ran.line!.slice(0, 1_000))).toBe(true);
  });

  it('may be blank or a comment, and is reported with the status before', async () => {
    const session = await start(shell, shell === 'zsh' ? 'setopt interactive_comments' : '');
    await session.run(ending(shell, 4));
    for (const command of ['  ', '', '# nothing']) {
      const ran = await session.runByKey(command);
      expect(ran.told).toEqual([`R;${ran.token};4;0`]);
    }
    expect(printedBy(only(await session.runByKey(shell === 'fish' ? 'echo $status' : 'echo $?')))).toBe(
      '4\n',
    );
  });

  it('that is refused leaves the draft, not itself', async () => {
    const session = await start(shell);
    session.type('echo draft');
    const ran = await session.runByKey('echo )');
    expect([ran.commands, ran.told]).toEqual([[], [`R;${ran.token};0;10`]]);
    expect(ran.text).toMatch(/parse error|Unexpected/);
    session.type('ed');
    await session.key('Q');
    expect(only(await session.run('')).line).toBe('echo drafted');
  });

  it('keeps the draft of the run before, though nothing has put that back', async () => {
    const session = await start(shell);
    await typeAll(session, ['echo draft', '\x1b[D\x1b[D']);
    await session.runByKey('echo one');
    await typeAll(session, ['mit']);
    expect((await session.runByKey('echo two')).told[0]).toMatch(/;13$/);
    expect((await session.runByKey('echo three')).told[0]).toMatch(/;13$/);
    session.type('ted');
    await session.key('Q');
    expect(only(await session.run('')).line).toBe('echo dramittedft');
  });

  it.each([shell === 'fish' ? 'for i in 1 2' : 'for i in 1 2; do', 'echo a \\'])(
    'that is incomplete, as %j, is reported as such',
    async (command) => {
      const session = await start(shell);
      session.type('echo draft');
      const token = await session.stage(command);
      session.type(KEYS.run);
      await session.until('the mark', (marks) => marks.some(({ letter }) => 'SI'.includes(letter)));
      if (shell === 'zsh') {
        const other = await session.stage('echo no');
        session.type(KEYS.run);
        await session.key('L');
        expect(await session.claimed()).not.toContain(other);
        await session.asleep();
        session.type('\x03');
        expect((await session.prompt()).told).toEqual([`R;${token};0;10`, 'S;2', 'L;1']);
        await session.key('Q');
      }
      const ran = await session.run('ed');
      expect(only(ran).line).toBe('echo drafted');
      if (shell === 'fish') expect(ran.told).toEqual([`R;${token};0;10`, `I;${token}`]);
    },
  );

  it('is run neither twice, nor without a token, nor by a command that reads input', async () => {
    const session = await start(shell);
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
    const nothing = await session.run('');
    expect([nothing.commands, nothing.text.match(/\w*(exist|no such|not open)\w*/gi)]).toEqual([[], null]);
    await session.stage('injected');
    session.type(shell === 'zsh' ? 'vared -c line\r' : 'read line\r');
    await session.until('the command', (marks) => marks.some(({ letter }) => letter === 'C'));
    await session.asleep();
    session.type(KEYS.run);
    await session.key('L');
    expect(only(await session.run('typed')).status).toBe('0');
    expect(printedBy(only(await session.run('echo "<$line>"')))).toBe('<typed>\n');
    expect(await session.claimed()).toEqual(['run-7_x']);
  });

  it('works within a nested shell, which answers with its own pid, and leaves nothing in the environment', async () => {
    const session = await start(shell);
    for (const inner of ['bash', 'zsh', 'fish']) {
      await session.run(inner);
      const pid = inner === 'fish' ? '$fish_pid' : '$$';
      const ran = only(await session.runByKey(`echo ${pid}; env | grep -c AUTO_TERMINAL_LINES`));
      expect(printedBy(ran)).toMatch(/^\d+\n0\n$/);
      expect(Number.parseInt(printedBy(ran), 10)).toBe(session.lastPid('R'));
      await session.run('exit');
    }
    expect([session.isReady, session.lastPid('A')]).toEqual([true, session.pid]);
  });
});

describe('the options of a zsh user', () => {
  it.each(['xtrace', 'err_exit', 'no_unset', 'no_clobber', 'ksh_arrays', 'sh_word_split'])(
    '%s stays so',
    async (option) => {
      const session = await start('zsh');
      await session.run(`setopt ${option}`);
      const ran = await session.runByKey(`[[ -o ${option} ]] && echo "$? yes"`);
      expect(printedBy(only(ran))).toMatch(/^([+].*\n)*0 yes\n$/);
      await session.key('L');
      await session.key('Q');
      expect((await session.run('echo end')).text).not.toMatch(/__at_|0123456789abcdef/);
    },
  );

  it('a prompt that is shown or exported has nothing of ours, and history words are expanded', async () => {
    const session = await start('zsh', 'setopt hist_verify');
    await session.run('echo earlier');
    expect(printedBy(only(await session.runByKey('echo two !!:1')))).toBe('two earlier\n');
    const shown = only(await session.run('echo "<$PS2>"; export PS2; env | grep ^PS2'));
    expect(printedBy(shown)).toBe('<%_> >\nPS2=%_> \n');
  });

  it('no line editor: the prompt says that the keys do not work', async () => {
    expect((await start('zsh', 'unsetopt zle')).isReady).toBe(false);
  });
});
