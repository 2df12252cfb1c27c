import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { CLI } from '../support/cli.js';
import { environmentFor, verbsAt } from '../support/command.js';
import { type Service, startService } from '../support/service.js';

let service: Service;
const { run, out, create } = verbsAt(() => service.home);
beforeAll(async () => {
  service = await startService({ env: { SHELL: '/bin/bash' } });
});
afterAll(() => service.stop());

/** Runs a verb, kills the service once the verb has printed something, and starts the service again. */
async function losing(...args: string[]): Promise<{ code: number; stderr: string }> {
  const child = spawn(process.execPath, [CLI, ...args], { env: environmentFor(service.home) });
  const stderr = text(child.stderr);
  const exit = once(child, 'exit');
  await once(child.stdout, 'data');
  await service.kill('SIGKILL');
  const [code] = (await exit) as [number];
  service = await startService({ home: service.home, env: { SHELL: '/bin/bash' } });
  return { code, stderr: await stderr };
}

/** Ends the shell that runs it, and with it what follows the terminal. */
const PROGRAM = 'echo begun; read line; echo "got $line"; exit';

test.each(['exec', 'batch run'])(
  '%s says where its command goes on when the service is lost',
  async (verb) => {
    const id = await create();
    const target = verb === 'exec' ? [id] : ['--target', id];
    const { code, stderr } = await losing(...verb.split(' '), ...target, '--', PROGRAM);
    expect(code).toBe(125);
    expect(stderr).toMatch(/how the program ends is not known\n.* may go on.*, as run run_\w+; to follow /);
    await followed(id, stderr);
    await out('close', id);
  },
);

test.each(['exec', 'batch run'])(
  '%s does not take a stop of the service for the end of its command',
  async (verb) => {
    const id = await create();
    const target = verb === 'exec' ? [id] : ['--target', id];
    const args = [CLI, ...verb.split(' '), ...target, '--', 'echo begun; sleep 1000'];
    const child = spawn(process.execPath, args, { env: environmentFor(service.home) });
    const stderr = text(child.stderr);
    const exit = once(child, 'exit');
    await once(child.stdout, 'data');
    await service.kill('SIGTERM');
    expect(await exit).toEqual([125, null]);
    expect(await stderr).toMatch(/how the program ends is not known\n.* as run run_\w+; to follow /);
    service = await startService({ home: service.home, env: { SHELL: '/bin/bash' } });
  },
);

test('run says where its program goes on when the service is lost', async () => {
  const { code, stderr } = await losing('run', '--', 'sh', '-c', PROGRAM);
  expect(code).toBe(125);
  const id = (await out('ls', '-q')).trim();
  expect(stderr).toContain(`It may go on in ${id}; `);
  await followed(id, stderr);
});

/** Follows the advice, and lets the program go on. */
async function followed(id: string, stderr: string): Promise<void> {
  expect(stderr).toMatch(new RegExp(`to follow (it|them): auto-terminal logs -f ${id}\\n$`));
  const following = run('logs', '-f', id);
  await out('send', id, '--enter', 'x');
  expect((await following).stdout).toContain('got x');
}
