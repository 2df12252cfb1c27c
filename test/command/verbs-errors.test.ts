import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { command, verbsAt } from '../support/command.js';
import { freePort } from '../support/free-port.js';
import { useSharedService } from '../support/use-service.js';

const used = useSharedService();
const { run, out, create } = verbsAt(() => used.service.home);

beforeAll(async () => {
  await create('-n', 'twin', '--', 'cat');
  await create('-n', 'twin', '--', 'cat');
  await create('-n', 'gone', '--', 'sh', '-c', 'exit 3');
  await out('wait', 'gone', '-u', 'exit');
});

/** Wrong arguments, each with the exit code and with words of the line that gives advice. */
const WRONG: [args: string[], code: number, advice: string][] = [
  [['lss'], 2, 'auto-terminal --help'],
  [['create'], 2, 'Did you mean new?'],
  [['batch', 'rum'], 2, 'auto-terminal batch --help'],
  [['ls', '--nonsense'], 2, 'auto-terminal ls --help'],
  [['config', 'nonsense'], 2, 'auto-terminal config --help'],
  [['config', 'set', 'terminals.nonsense', '1'], 2, 'auto-terminal config set --help'],
  [['record', 'ls', 'x'], 2, 'auto-terminal record ls --help'],
  [['resize', 'twin', 'wide', '24'], 2, 'auto-terminal resize --help'],
  [['logs', '-n', 'many', '--all'], 2, 'auto-terminal logs --help'],
  [['wait', '--all', '-t', 'long'], 2, 'auto-terminal wait --help'],
  [['new', '--size', '0x0'], 2, 'auto-terminal new --help'],
  [['new', '-e', 'X'], 2, 'auto-terminal new --help'],
  [['new', '-C', '/no/such/folder'], 1, 'Give a folder'],
  [['new', '--', 'no-such-program'], 1, 'a program that exist'],
  [['show', 'nobody'], 3, 'auto-terminal ls --all'],
  [['show', 'twin'], 3, 'Give an id'],
  [['show', 'me'], 2, 'SERVICE_TERMINAL_ID'],
  [['exec', 'gone', '--', 'true'], 3, 'auto-terminal logs term_'],
  [['keys', 'gone', 'enter'], 3, 'auto-terminal logs term_'],
  [['record', 'start', 'gone'], 3, 'auto-terminal logs term_'],
  ...[
    ['send', '', 'x'],
    ['show', ''],
    ['close', 'twin', ''],
    ['rename', 'gone', ''],
    ['new', '--name', ''],
    ['send', '--lease', '', 'gone', 'x'],
    ['detach', 'gone', ''],
    ['play', ''],
    ['record', 'rm', ''],
    ['token', 'revoke', ''],
    ['fleet', 'approve', ''],
  ].map((args): [string[], number, string] => [args, 2, 'a variable of your shell may not be set']),
  [['help', 'lss'], 2, 'auto-terminal --help'],
  [['help', 'create'], 2, 'Did you mean new?'],
  [['help', 'batch', 'rum'], 2, 'auto-terminal batch --help'],
  [['batch', 'help', 'rum'], 2, 'auto-terminal batch --help'],
  [['ls', '--url', 'nonsense'], 2, 'http://127.0.0.1:42031'],
  [['ls', '--url', 'ftp://127.0.0.1'], 2, 'http://127.0.0.1:42031'],
  [['ls', '--url', 'http://127.0.0.1:1'], 7, 'auto-terminal serve'],
  [['ls', '--token-file', '/no/such/file'], 2, 'Give a file'],
  [['profiles', 'rm', 'bash'], 3, 'auto-terminal profiles'],
  [['watches', 'rm', 'wt_0'], 3, 'auto-terminal watches'],
  [['watches', 'add', 'x', '--type', 'nothing'], 2, 'term_0123456789ab=the line'],
  [['webhooks', 'rm', 'wh_0'], 3, 'auto-terminal webhooks'],
  [['webhooks', 'add', 'http://127.0.0.1/'], 2, 'auto-terminal webhooks add --help'],
  [['webhooks', 'add', 'http://169.254.169.254/', '-t', 'run.*'], 2, 'loopback'],
  [['export', 'nothing'], 3, 'auto-terminal record ls'],
  [['detach', 'gone', 'nobody'], 3, 'auto-terminal clients'],
  [['send', '-l', 'a=b', 'twin', 'x'], 2, 'the text alone'],
];

describe('wrong input', () => {
  test.each(WRONG)('%j ends with %i, and says what to do: %s', async (args, code, advice) => {
    const ran = await run(...args);
    expect([ran.code, ran.stdout]).toEqual([code, '']);
    const [what, ...fix] = ran.stderr.trimEnd().split('\n');
    expect(what).toMatch(/^auto-terminal: \S/);
    expect(fix.join('\n')).toContain(advice);
  });

  test.each([
    [
      ['resize', 'gone', '0', '0'],
      "value '0' is invalid for argument 'columns'. It is a whole number from 1 on, such as 80.",
    ],
    [['new', '-e', 'X'], 'An environment variable has the form name=value, not "X".'],
    [['config', 'set', 'terminals.nonsense', '1'], 'terminals: There is no setting terminals.nonsense'],
    [['search', ''], 'query: must not be empty'],
  ])('%j is told in words: %s', async (args, words) => {
    expect((await run(...args)).stderr.split('\n')[0]).toBe(`auto-terminal: ${words}`);
  });

  test.each([
    [['show', 'twin', '-o', 'json'], 'ambiguous-target'],
    [['ls', '--nonsense', '-ojson'], 'usage'],
    [['record', 'ls', '--output=ndjson', 'x'], 'usage'],
    [['ls', '-l', 'a==', '-o', 'ndjson'], 'invalid-request'],
    [['show', 'nobody', '-o', 'json'], 'terminal-not-found'],
    [['agents', 'explain', 'twin', '-o', 'json'], 'ambiguous-target'],
    [['wait', '-o', 'json', '-l', 'a=b'], 'no-match'],
  ])('%j is one line of JSON on standard error', async (args, code) => {
    const { stdout, stderr } = await run(...args);
    expect(stdout).toBe('');
    expect(stderr.trimEnd().split('\n')).toHaveLength(1);
    expect(JSON.parse(stderr)).toEqual({
      ...{ error: expect.any(String), code, fix: expect.any(String), transient: false },
      ...(code === 'invalid-request' && { requestId: expect.any(String) }),
    });
  });

  test('a profile that is none is said, since the service takes the default', async () => {
    const { code, stderr } = await run('new', '--profile', 'none', '-n', 'default');
    expect([code, stderr]).toEqual([0, expect.stringContaining('there is no profile none; bash is used')]);
    await out('close', 'default');
  });

  test('what does not happen in time is said', async () => {
    const many = await run('wait', '--all', '-u', 'exited', '-t', '0');
    expect(many).toMatchObject({ code: 124, stderr: expect.stringMatching(/exited: not in time; 2 of 2/) });
    const one = await run('wait', 'gone', '-u', 'text', '--text', 'never');
    expect(one).toMatchObject({ code: 1, stderr: 'auto-terminal: text: the program has exited\n' });
  });

  test('a variable without a value names no service', async () => {
    const env = { AUTO_TERMINAL_API_URL: '' };
    const { code, stderr } = await command(used.service.home, ['ls', '-q'], { env });
    expect([code, stderr]).toEqual([0, '']);
  });

  test('an empty text behind labels is no target without a name', async () => {
    const { code, stderr } = await run('send', '-l', 'a=b', '--enter', '');
    expect([code, stderr]).toEqual([3, expect.stringContaining('No terminal runs with the labels a=b')]);
  });

  test('a file that cannot be written is an error without a stack', async () => {
    const [id] = (await out('ls', '-q')).split('\n');
    const ran = await run('screen', id!, '--png', '/no/such/folder/x.png');
    expect(ran).toMatchObject({ code: 1, stderr: expect.stringMatching(/^auto-terminal: ENOENT[^\n]*\n$/) });
  });

  test('an export that fails leaves the file as it was', async () => {
    const file = join(used.service.home, 'kept.txt');
    await writeFile(file, 'kept');
    expect(await run('export', 'nothing', '--to', file)).toMatchObject({ code: 3 });
    const url = `http://127.0.0.1:${await freePort()}`;
    expect(await run('export', 'nothing', '--to', file, '--url', url)).toMatchObject({ code: 7 });
    expect(await readFile(file, 'utf8')).toBe('kept');
  });

  test.each([
    [['help', 'run', 'echo', 'ran'], 'auto-terminal run [options] <command...>'],
    [['help', 'new', 'cat'], 'auto-terminal new'],
    [['help', 'completion', 'bash'], 'auto-terminal completion [options] <shell>'],
    [['batch', 'help', 'run', 'true'], 'auto-terminal batch run'],
  ])('%j shows the help of the verb, and does nothing with the words behind it', async (args, usage) => {
    const { code, stdout, stderr } = await run(...args);
    expect([code, stderr, stdout.split('\n')[0]]).toEqual([
      0,
      '',
      expect.stringContaining(`Usage: ${usage}`),
    ]);
  });

  test('help is no error, and a verb without its inner verb lists these', async () => {
    expect(await run('record', '--help')).toMatchObject({
      ...{ code: 0, stderr: '', stdout: expect.stringMatching(/ls.*rm/s) },
    });
    expect(await run('batch')).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringMatching(/run.*send/s),
    });
    const env = { FORCE_COLOR: '1', NO_COLOR: '' };
    const plain = await command(used.service.home, ['ls', '--nonsense'], { env });
    expect(plain.stderr).not.toContain('\x1b');
  });
});
