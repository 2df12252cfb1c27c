import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { CLI } from '../support/cli.js';
import { command } from '../support/command.js';
import { eventually } from '../support/processes.js';
import { useService } from '../support/use-service.js';

const used = useService({ env: { SHELL: '/bin/bash' } });
const run = (...args: string[]) => command(used.service.home, args);
const listed = async () => (await run('ls', '-q')).stdout.trim();

test.each(['SIGTERM', 'SIGHUP'] as const)('run closes its terminal when %s ends it', async (signal) => {
  const env = { ...process.env, AUTO_TERMINAL_HOME: used.service.home };
  const child = spawn(process.execPath, [CLI, 'run', '--', 'sh', '-c', 'echo begun; sleep 1000'], { env });
  const said = text(child.stderr);
  await once(child.stdout, 'data');
  expect(await listed()).toMatch(/^term_/);
  const ended = once(child, 'exit');
  child.kill(signal);
  expect(await ended).toEqual([null, signal]);
  expect(await said).toBe('');
  await eventually('the terminal is gone', async () => (await listed()) === '');
});

test('exec says that the command goes on when Ctrl+C ends it', async () => {
  const id = (await run('new', '-n', 'interrupted')).stdout.trim();
  const env = { ...process.env, AUTO_TERMINAL_HOME: used.service.home };
  const child = spawn(process.execPath, [CLI, 'exec', id, '--', 'echo begun; sleep 1000'], { env });
  const said: Buffer[] = [];
  child.stderr.on('data', (chunk: Buffer) => said.push(chunk));
  await once(child.stdout, 'data');
  child.kill('SIGINT');
  expect(await once(child, 'close')).toEqual([130, null]);
  const line = Buffer.concat(said).toString();
  expect(line).toBe(`auto-terminal: the command goes on; to interrupt it: auto-terminal signal ${id} INT\n`);
  const [, ...advice] = line.slice(line.lastIndexOf('auto-terminal ')).trim().split(' ');
  expect(await run(...advice)).toMatchObject({ code: 0 });
  expect(await run('wait', '-u', 'command', id)).toMatchObject({ code: 0 });
  await run('close', id);
});

test.each([
  ['an option', ['--port', 'abc'], {}],
  ['a variable', [], { AUTO_TERMINAL_PORT: 'abc' }],
])('a service that %s gives no port ends with 2', async (_what, args, env) => {
  const refused = await promisify(execFile)(process.execPath, [CLI, ...args], {
    env: { ...process.env, AUTO_TERMINAL_HOME: used.service.home, ...env },
  }).catch((error: unknown) => error);
  expect(refused).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/must be 0 or a port .*, not "abc"\n$/),
  });
});

test('an option of verbs before the verb is said to go behind it', async () => {
  expect(await run('--url', 'http://127.0.0.1:1', 'ls')).toMatchObject({
    code: 2,
    stdout: '',
    stderr: expect.stringContaining('it goes behind the verb: auto-terminal VERB --url'),
  });
  expect((await run('--nonsense')).stderr).toContain('--help shows the options');
});

test.skipIf(process.platform !== 'linux')('a home that takes no folders is named', async () => {
  expect(await command('/proc/none', ['new'])).toMatchObject({
    code: 1,
    stderr: 'auto-terminal: /proc/none/data: folder cannot be made (ENOENT)\n',
  });
  expect((await command('/sys/none', ['new'])).stderr).toMatch(
    /\/sys\/none\/data: folder cannot be made \(E\w+\)\. AUTO_TERMINAL_HOME names a folder that you may write to\n$/,
  );
});

test('exec refuses options behind its target, which would be part of the command', async () => {
  const refused = await run('exec', 'any', '-t', '1', '--', 'true');
  expect(refused).toMatchObject({
    code: 2,
    stdout: '',
    stderr: expect.stringContaining('before the target'),
  });
});

test('bash completes names with blanks, quoted as it wants them', async () => {
  const ids = [];
  for (const name of ['work a', 'work b'])
    ids.push((await run('new', '-n', name, '--', 'cat')).stdout.trim());
  const script = `
    auto-terminal() { "${process.execPath}" "${CLI}" "$@"; }
    source <(auto-terminal completion bash)
    COMP_WORDS=(auto-terminal show 'work\\ ') COMP_CWORD=2
    _auto_terminal
    printf '%s\\n' "\${COMPREPLY[@]}"`;
  const env = { ...process.env, AUTO_TERMINAL_HOME: used.service.home };
  await eventually('both are completed', async () => {
    const { stdout } = await promisify(execFile)('bash', ['-c', script], { env });
    return stdout === 'work\\ a\nwork\\ b\n';
  });
  await run('close', ...ids);
});

test('new and run say that the folder in which they were called is gone', async () => {
  const env = { ...process.env, AUTO_TERMINAL_HOME: used.service.home };
  for (const verb of ['new', 'run -- true']) {
    const script = `d=$(mktemp -d) && cd "$d" && rmdir "$d" && exec "${process.execPath}" "${CLI}" ${verb}`;
    const failed = await promisify(execFile)('sh', ['-c', script], { env }).catch((error: unknown) => error);
    expect(failed).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('folder is gone') });
  }
});

test.each(['two\nlines', 'dash—'])('a token that no header can hold is refused: %j', async (token) => {
  const refused = await command(used.service.home, ['ls'], { env: { AUTO_TERMINAL_TOKEN: token } });
  expect(refused).toMatchObject({
    ...{ code: 2, stdout: '' },
    stderr: expect.stringMatching(/^auto-terminal: The token in AUTO_TERMINAL_TOKEN has a character/),
  });
});
