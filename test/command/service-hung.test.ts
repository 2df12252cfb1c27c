// A service whose process is stopped: it takes connections, and answers nothing.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { CLI } from '../support/cli.js';
import { verbsAt } from '../support/command.js';
import { startService } from '../support/service.js';

test('doctor and stop say that it does not answer', async () => {
  const service = await startService();
  const { home, pid } = service;
  process.kill(pid, 'SIGSTOP');
  onTestFinished(() => {
    process.kill(pid, 'SIGCONT');
    return service.stop();
  });
  const { run } = verbsAt(() => home);
  const [doctor, stop] = await Promise.all([run('doctor'), run('stop')]);
  expect(doctor).toMatchObject({
    code: 1,
    stdout: expect.stringMatching(/^✗\tservice\tdoes not answer within 10 s/m),
  });
  expect(stop).toMatchObject({
    ...{ code: 1, stdout: '' },
    stderr: expect.stringContaining('The service does not answer'),
  });
  expect(stop.stderr).toContain(`process ${pid}: kill -9 ends it`);
});

test('Ctrl+C ends doctor with 130, and without a table that claims something', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const asked = once(server, 'connection');
  const child = spawn(process.execPath, [CLI, 'doctor', '--url', `http://127.0.0.1:${port}`]);
  const printed = text(child.stdout);
  await asked;
  child.kill('SIGINT');
  expect(await once(child, 'exit')).toEqual([130, null]);
  expect(await printed).toBe('');
});
