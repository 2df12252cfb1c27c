import { describe, expect, test } from 'vitest';
import { useOuters } from '../support/attach-rig.js';
import { verbsAt } from '../support/command.js';
import { useSharedService } from '../support/use-service.js';

const used = useSharedService();
const { run, out } = verbsAt(() => used.service.home);
const openOuter = useOuters();

/** Programs that cannot be run, and the code with which docker ends for such a one. */
const NOT_RUN: [args: string[], code: number][] = [
  [['-C', '/nope', '--', 'true'], 125],
  [['--', '/etc'], 126],
  [['--', '/etc/passwd'], 126],
  [['--', 'no-such-program'], 127],
  [['--', '/no/such/program'], 127],
];

describe('a program that cannot be run', () => {
  test.each(NOT_RUN)('run %j ends with %i through a pipe', async (args, code) => {
    expect((await run('run', ...args)).code).toBe(code);
  });

  test.each(NOT_RUN)('run %j ends with %i on a terminal', async (args, code) => {
    const outer = openOuter();
    outer.command(used.service.home, ['run', ...args]);
    await outer.shows(/^code \d/m);
    expect(outer.rows.join('\n')).toMatch(new RegExp(`^code ${code}$`, 'm'));
    expect(await out('ls', '-q')).toBe('');
  });

  test('run -d ends with the same code', async () => {
    expect((await run('run', '-d', '--', 'no-such-program')).code).toBe(127);
  });
});

describe('through a pipe, a program has', () => {
  test('the variables of -e, also those whose names no shell can hold', async () => {
    const given = ['-e', 'a.b=1 = 2', '-e', 'c-d=', '-e', 'X=y z'];
    const { code, stdout } = await run('run', ...given, '--', 'env');
    expect(code).toBe(0);
    expect(stdout.split('\n')).toEqual(expect.arrayContaining(['a.b=1 = 2', 'c-d=', 'X=y z']));
    const shown = await run('run', ...given, '--', 'printf', '%s|', 'x=1', '-e', '');
    expect(shown).toEqual({ code: 0, stdout: 'x=1|-e||', stderr: '' });
    expect((await run('run', ...given, '--', 'no-such-program')).code).toBe(127);
  });

  test('a PATH of its own, on which nothing else is looked for', async () => {
    const ran = await run('run', '-e', 'PATH=/nowhere', '--', '/bin/sh', '-c', 'echo "$PATH"');
    expect(ran).toEqual({ code: 0, stdout: '/nowhere\n', stderr: '' });
  });
});

test('on a terminal, no query of the program reaches it: the answer would be typed into the shell', async () => {
  const outer = openOuter();
  const text = '\\033[c\\033[6n\\033]11;?\\007 \\342\\202\\254 \\033[1mshown\\033[m\\n';
  outer.command(used.service.home, ['run', '--', 'printf', text]);
  await outer.shows('code 0');
  outer.type('echo "e"nd\r');
  await outer.shows(/^end$/m);
  const shown = outer.rows.join('\n');
  expect(shown).toContain(' € shown');
  expect(shown).toMatch(/^person\$ echo "e"nd$/m);
  expect(outer.colored).toContain('\x1b[1mshown');
});

test.skipIf(process.platform !== 'linux')(
  'a real-time signal, which has a number and no name, is 128 and that number',
  async () => {
    expect((await run('run', '--', 'sh', '-c', 'kill -34 $$')).code).toBe(162);
  },
);

test('exec ends with the signal that has ended the shell, and the command with it', async () => {
  const id = (await out('new', '--', 'bash')).trim();
  expect(await run('exec', id, '--', 'kill -KILL $$')).toEqual({ code: 137, stdout: '', stderr: '' });
  await out('close', id);
});
