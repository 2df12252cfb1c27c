import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { TerminalView } from '#dist/contract/terminal-view.js';
import { VERSION } from '#dist/contract/version.js';
import { CLI } from '../support/cli.js';
import { command } from '../support/command.js';
import { freePort } from '../support/free-port.js';
import { NOBODY, nobodyCanRead } from '../support/other-user.js';
import type { Finished } from '../support/run-process.js';
import { answering } from '../support/scripted-server.js';
import { useSharedService } from '../support/use-service.js';

const used = useSharedService();
const run = (...args: string[]): Promise<Finished> => command(used.service.home, args);
const out = async (...args: string[]): Promise<string> => {
  const { code, stdout, stderr } = await run(...args);
  if (code !== 0) throw new Error(`${args.join(' ')}: ${code} ${stderr}`);
  return stdout;
};
const create = async (...args: string[]) => (await out('new', ...args)).trim();

describe('a program', () => {
  test('is run with its own exit code, signal or failure, and its exact output', async () => {
    expect(await run('run', '--', 'sh', '-c', 'echo out; exit 7')).toEqual({
      code: 7,
      stdout: 'out\n',
      stderr: '',
    });
    expect((await run('run', '--', 'sh', '-c', 'kill -9 $$')).code).toBe(137);
    expect((await run('run', '--', 'no-such-program')).code).toBe(127);
    const file = join(used.service.home, 'bytes');
    await writeFile(file, randomBytes(400_000).toString('latin1').replaceAll('\n', '\r\n'), 'utf8');
    const { stdout, code } = await run('run', '--', 'cat', file);
    expect(code).toBe(0);
    expect(stdout === (await readFile(file, 'utf8'))).toBe(true);
    expect(await out('ls', '-q')).toBe('');
  });

  test('runs on with --detach, and its terminal is named, labelled and sized as asked', async () => {
    const args = ['-n', 'sleeper', '-l', 'a=b,c=d', '-e', 'X=1=2', '-C', '/tmp', '--size', '91x17'];
    const id = (await out('run', '-d', ...args, '--', 'sleep', '1000')).trim();
    const { terminals } = JSON.parse(await out('ls', '-o', 'json', '-l', 'a=b')) as {
      terminals: TerminalView[];
    };
    expect(terminals).toMatchObject([
      { id, name: 'sleeper', labels: { a: 'b', c: 'd' }, cols: 91, rows: 17, cwd: '/tmp' },
    ]);
    await out('close', 'sleeper');
  });
});

describe('a shell in a terminal', () => {
  let id: string;
  beforeAll(async () => {
    id = await create('-n', 'worker', '-l', 'role=test');
  });

  test('runs commands, with their output and exit codes', async () => {
    expect(await run('exec', 'worker', '--', 'echo one; (exit 3)')).toMatchObject({
      code: 3,
      stdout: 'one\n',
    });
    expect(await run('exec', id, 'sh', '-c', 'echo "a  b"; exit 4')).toMatchObject({
      code: 4,
      stdout: 'a  b\n',
    });
    expect((await run('exec', '-t', '0.2', id, '--', 'sleep 1000')).code).toBe(124);
    await out('keys', 'worker', 'ctrl+c');
    const [first] = (await out('commands', 'worker')).split('\n');
    expect(first).toContain('sleep 1000');
  });

  test('is typed into, and read', async () => {
    expect(
      (await command(used.service.home, ['send', id, '-', '--enter'], { input: 'echo $((40 + 2))' })).code,
    ).toBe(0);
    await out('exec', id, '--', 'true');
    expect(await out('screen', 'worker')).toContain('\n42\n');
    expect(await out('logs', 'worker')).toContain('\n42\n');
    expect(await out('show', 'worker')).toMatch(/^state +prompt$/m);
  });

  test('is named by the beginning of its id, and from standard input', async () => {
    expect(await out('show', id.slice(0, 10), '-o', 'ids')).toBe(`${id}\n`);
    const listed = await command(used.service.home, ['close', '-'], {
      input: `${await create()}\n${await create()}\n`,
    });
    expect(listed.code).toBe(0);
    expect(await out('ls', '-q')).toBe(`${id}\n`);
  });

  test('gets another name, labels and size', async () => {
    await out('rename', 'worker', 'other');
    await out('label', 'other', 'x=y', 'role-');
    await out('resize', 'other', '100', '30');
    const { terminals } = JSON.parse(await out('ls', '-o', 'json')) as { terminals: TerminalView[] };
    expect(terminals).toMatchObject([{ name: 'other', labels: { x: 'y' }, cols: 100, rows: 30 }]);
    expect(terminals[0]?.labels).not.toHaveProperty('role');
    await out('close', 'other');
  });
});

test('a terminal is "me" for the programs in it, also where their environment was cleaned', async () => {
  const id = await create();
  const show = `'${process.execPath}' '${CLI}' show me -o ids`;
  const home = `AUTO_TERMINAL_HOME='${used.service.home}'`;
  const cleaned = await out('exec', id, '--', `env -i ${home} ${show}; env -i ${home} setsid --wait ${show}`);
  expect(cleaned).toBe(`${id}\n${id}\n`);
  await out('close', id);
});

describe('many terminals', () => {
  test('run a command; the table tells each exit code, and the worst is that of the command', async () => {
    const ids = [await create('-l', 'case=many'), await create('-l', 'case=many')].sort();
    const { code, stdout } = await run(
      'batch',
      'run',
      '-l',
      'case=many',
      '--',
      'echo "in $SERVICE_TERMINAL_ID"; (exit 5)',
    );
    expect(code).toBe(5);
    for (const id of ids) expect(stdout).toContain(`${id} | in ${id}\n`);
    expect(stdout.split('\n').filter((line) => line.includes('\t5\t'))).toHaveLength(2);
    const failed = await run('wait', '-l', 'case=many', '-u', 'failed', '-m', 'all', '-q');
    expect([failed.code, failed.stdout.trim().split('\n').sort()]).toEqual([0, ids]);
    expect((await run('wait', '-l', 'case=many', '-u', 'exited', '-t', '0.1')).code).toBe(124);
    expect((await run('batch', 'run', '-l', 'case=none', '--', 'true')).code).toBe(3);
    await out('close', '-l', 'case=many');
  });
});

describe('failures', () => {
  test.each([
    [['nonsense'], 2],
    [['ls', '--nonsense'], 2],
    [['close'], 2],
    [['new', '--size', 'large'], 2],
    [['label', 'x', 'nonsense'], 2],
    [['show', 'nobody'], 3],
    [['exec', 'term_000000000000', '--', 'true'], 3],
    [['show', 'me'], 2],
  ])('%j ends with %i, and says why on standard error alone', async (args, code) => {
    const ran = await run(...args);
    expect([ran.code, ran.stdout]).toEqual([code, '']);
    expect(ran.stderr.length).toBeGreaterThan(10);
  });

  test('are JSON if the output is', async () => {
    const { code, stderr } = await run('show', 'nobody', '-o', 'json');
    expect([code, JSON.parse(stderr)]).toMatchObject([3, { code: 'terminal-not-found', transient: false }]);
  });

  test('no service: 7, and nothing is started by verbs that only look', async () => {
    const url = `http://127.0.0.1:${await freePort()}`;
    expect(await run('ls', '--url', url)).toMatchObject({
      code: 7,
      stderr: expect.stringContaining('auto-terminal serve'),
    });
    expect((await run('new', '--url', url)).code).toBe(7);
  });
});

test('help lists every verb, and a shell completes verbs, options and names', async () => {
  const help = await out('--help');
  for (const verb of ['new', 'run', 'ls', 'batch', 'logs', 'doctor', 'completion'])
    expect(help).toContain(`\n  ${verb}`);
  await create('-n', 'named');
  expect(await out('completion', 'words', 'sh')).toBe('show\n');
  expect(await out('completion', 'words', 'ls', '--wa')).toBe('--watch\n');
  expect(await out('completion', 'words', 'show', 'nam')).toBe('named\n');
  for (const shell of ['bash', 'zsh', 'fish'])
    expect(await out('completion', shell)).toContain('auto-terminal');
  await out('close', 'named');
});

test('doctor says that a service of another release runs', async () => {
  const bodies: Record<string, object> = {
    '/health': { status: 'ok', app: 'auto-terminal', instanceId: 'i-1', version: '99.0.0' },
    '/api/profiles': { profiles: [] },
    '/api/limits': { unknown: [] },
  };
  const tmux = { available: false, tmux_path: '', wsl_distro: null, active_sessions: 0 };
  const { url } = await answering(({ request, response }) => {
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(bodies[request.url!.split('?')[0]!] ?? tmux));
  });
  expect(await out('doctor', '--url', url)).toMatch(
    `!\tservice\truns, version 99.0.0\tIt is newer than this command (${VERSION}): install auto-terminal 99.0.0`,
  );
});

// Root can write to every folder.
const IS_ROOT = process.getuid?.() === 0;
const CAN_BE_REFUSED = !IS_ROOT || nobodyCanRead(process.execPath, CLI);

test.runIf(CAN_BE_REFUSED)(
  'doctor says that the data folder cannot be made in a read-only folder',
  async () => {
    const home = await mkdtemp(join(tmpdir(), 'at-read-only-'));
    await chmod(home, 0o555);
    onTestFinished(() => rm(home, { recursive: true, force: true }));
    const user = IS_ROOT ? { uid: NOBODY, gid: NOBODY } : {};
    const env = { PATH: process.env.PATH, AUTO_TERMINAL_HOME: join(home, 'state') };
    const child = spawn(process.execPath, [CLI, 'doctor'], { ...user, env, cwd: '/' });
    const [printed, [code]] = await Promise.all([text(child.stdout), once(child, 'close')]);
    expect(printed).toContain(
      `✗\tdata folder\t${home}/state/data: cannot be made in ${home}\tSet AUTO_TERMINAL_HOME`,
    );
    expect(code).toBe(1);
  },
);

test('doctor and status find the service', async () => {
  const looked = await out('doctor');
  expect(looked).toMatch(new RegExp(`command\tversion ${VERSION}`));
  expect(looked).toMatch(new RegExp(`✓\tservice\truns, version ${VERSION}`));
  const status = await out('status');
  expect(status).toMatch(/^service +auto-terminal /m);
  expect(status).toMatch(/^dashboard +http:\/\/127\.0\.0\.1:\d+$/m);
});
