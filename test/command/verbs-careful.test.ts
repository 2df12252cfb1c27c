import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { command } from '../support/command.js';
import { CLI } from '../support/mcp.js';
import { eventually } from '../support/processes.js';
import { useService } from '../support/use-service.js';

const used = useService({ env: { SHELL: '/bin/bash' } });
const run = (...args: string[]) => command(used.service.home, args);
const listed = async () => (await run('ls', '-q')).stdout.trim();

test.each(['SIGTERM', 'SIGHUP'] as const)('run closes its terminal when %s ends it', async (signal) => {
  const env = { ...process.env, AUTO_TERMINAL_HOME: used.service.home };
  const child = spawn(process.execPath, [CLI, 'run', '--', 'sh', '-c', 'echo begun; sleep 1000'], { env });
  await once(child.stdout, 'data');
  expect(await listed()).toMatch(/^term_/);
  child.kill(signal);
  expect(await once(child, 'exit')).toEqual([null, signal]);
  await eventually('the terminal is gone', async () => (await listed()) === '');
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
