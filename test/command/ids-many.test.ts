// Verbs that take several ids: an id that fails keeps none of the others from what was asked for.
import { expect, test } from 'vitest';
import { verbsAt } from '../support/command.js';
import { useService } from '../support/use-service.js';

const used = useService({ env: { SHELL: '/bin/bash' } });
const { run, out, create } = verbsAt(() => used.service.home);

const recording = async () => {
  const id = (await out('record', 'start', await create('--', 'cat'))).trim();
  await out('record', 'stop', id);
  return id;
};

test.each([
  ['watches rm', async () => (await out('watches', 'add', 'text')).trim(), 'watches'],
  [
    'webhooks rm',
    () => out('webhooks', 'add', 'http://127.0.0.1:9/', '-t', 'agent.status', '-o', 'ids'),
    'webhooks',
  ],
  ['token revoke', () => out('token', 'create', '-n', 'one', '--verbs', 'read', '-q'), 'token list'],
  ['profiles rm', () => out('profiles', 'add', 'mine', '--path', '/bin/cat'), 'profiles'],
  ['record rm', recording, 'record ls'],
])('%s names the id that fails, and goes on', async (verb, make, list) => {
  const [first, second] = [(await make()).trim(), (await make()).trim()];
  const failed = await run(...verb.split(' '), first, 'nosuch', second);
  expect(failed).toMatchObject({
    code: 3,
    stdout: '',
    stderr: expect.stringMatching(/^auto-terminal: nosuch: .*\n$/),
  });
  const left = await out(...list.split(' '), '-q');
  expect(left).not.toContain(first);
  expect(left).not.toContain(second);
});

test('fleet run refuses options behind the labels, which would run in the shells', async () => {
  expect(await run('fleet', 'run', 'role=test', '-o', 'json', '--', 'true')).toMatchObject({
    ...{ code: 2, stdout: '' },
    stderr: expect.stringContaining('Options come before the target: -o'),
  });
});
