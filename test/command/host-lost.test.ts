import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { CLI } from '../support/cli.js';
import { environmentFor, verbsAt } from '../support/command.js';
import { hostPidOf } from '../support/processes.js';
import { startService } from '../support/service.js';

test('exec does not end as for a wrong target where the pty host dies under its command', async () => {
  const service = await startService({ env: { SHELL: '/bin/bash' } });
  onTestFinished(() => service.stop());
  const { run, create } = verbsAt(() => service.home);
  const id = await create();
  const command = ['exec', id, '--', 'echo begun; read line'];
  const child = spawn(process.execPath, [CLI, ...command], { env: environmentFor(service.home) });
  const stderr = text(child.stderr);
  const exit = once(child, 'exit');
  await once(child.stdout, 'data');
  process.kill(hostPidOf(service.home), 'SIGKILL');
  expect(await exit).toEqual([125, null]);
  expect(await stderr).toContain('the terminal has gone; how the command has ended is not known\n');
  expect(await run('exec', id, '--', 'true')).toMatchObject({ code: 3 });
});

test('logs and screen say that the output went with the pty host', async () => {
  const service = await startService();
  onTestFinished(() => service.stop());
  const { run, out, create } = verbsAt(() => service.home);
  const id = await create('--', 'sh', '-c', 'echo printed; exec cat');
  await out('wait', id, '--until', 'text', '--text', 'printed');
  process.kill(hostPidOf(service.home), 'SIGKILL');
  await out('wait', id, '--until', 'exit');
  const lost = { code: 0, stderr: `auto-terminal: the output of ${id} was lost with its pty host\n` };
  expect(await run('logs', id)).toEqual({ ...lost, stdout: '' });
  expect(await run('logs', '-f', id)).toEqual({ ...lost, stdout: '' });
  expect(await run('screen', id)).toEqual({ ...lost, stdout: '\n' });
  const sent = await run('send', id, 'x');
  expect(sent).toMatchObject({ code: 3, stderr: expect.stringContaining('was lost with its pty host') });
  expect(sent.stderr).not.toContain('auto-terminal logs');
});
