import { describe, expect, it } from 'vitest';
import { only, useShells } from '../support/use-shells.js';

const start = useShells();
const PROMPT = "PS1='$ '";
const bash = (rc = '', args: string[] = []) =>
  start('bash', { args, files: { '.bashrc': `${PROMPT}\n${rc}` } });

describe("the user's options", () => {
  it.each(['set -x', 'set -u', 'set -e', 'set -T', 'set -C', 'set -o posix', 'set -o vi'])(
    '%s stays so',
    async (option) => {
      const session = await bash();
      await session.run(option);
      await session.run('true one "last word"');
      const ran = only(await session.runByKey('echo "$? $_ $-"'));
      expect(ran.output.replace(/^\+ .*\r\n/gm, '')).toMatch(/^0 last word \w+\r\n$/);
      expect(ran.output).not.toContain('__at_');
      await session.run('true one "last word"');
      await session.key('L');
      await session.key('Q');
      const typed = only(await session.run('echo "$? $_ $-"'));
      expect(typed.output.replace(/^\+.*\r\n/gm, '')).toBe(ran.output.replace(/^\+.*\r\n/gm, ''));
      const ignored = await session.run('false || true');
      expect(ignored.text).not.toMatch(/__at_|0123456789abcdef/);
    },
  );

  it('HISTCONTROL decides what the history gets', async () => {
    const session = await bash('HISTCONTROL=ignorespace');
    await session.runByKey(' echo hidden');
    await session.runByKey('echo kept\necho lines');
    const { output } = only(await session.run('history | tail -3'));
    expect(output).toMatch(/echo kept\r\n.*echo lines\r\n.*history \| tail/);
    expect(output).not.toContain('hidden');
  });

  it('a DEBUG trap does not see a key that changes nothing', async () => {
    const session = await bash(`trap 'HEARD+="<$BASH_COMMAND>"' DEBUG`);
    await session.run('HEARD=');
    await session.key('L');
    await session.key('Q');
    expect(only(await session.run('echo "$HEARD"')).output).not.toMatch(/__at_say|__at_key/);
  });

  it('standard output that is a file gets no mark', async () => {
    const session = await bash();
    await session.run('exec 5>&1 >out');
    await session.runByKey('echo one');
    await session.key('L');
    await session.key('Q');
    await session.run('exec >&5');
    expect(only(await session.run('cat out')).output).toBe('one\r\n');
  });
});

describe('the prompt reports whether the keys work', () => {
  it.each([
    ['emacs', [], '', true],
    ['vi', [], 'set -o vi', true],
    ['no line editor', [], 'set +o emacs', false],
    ['no editing at all', ['--noediting'], '', false],
    ['prompts that are not expanded', [], 'shopt -u promptvars', false],
  ])('%s', async (_what, args, rc, isReady) => {
    const session = await bash(rc, args);
    expect(session.isReady).toBe(isReady);
  });
});

it('a nested shell answers with its own pid, and nothing is in the environment', async () => {
  const session = await bash();
  expect(only(await session.run('env | grep -c AUTO_TERMINAL_LINES')).output).toBe('0\r\n');
  await session.run('bash');
  const ran = only(await session.runByKey('echo "$$"; env | grep -c AUTO_TERMINAL_LINES'));
  expect(ran.output).toMatch(/^\d+\r\n0\r\n$/);
  expect(Number.parseInt(ran.output, 10)).toBe(session.lastPid('R'));
  expect(session.lastPid('R')).not.toBe(session.pid);
});
