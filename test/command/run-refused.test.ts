// Commands that are typed nowhere, since another program has the lease of the terminal.
import { expect, test } from 'vitest';
import { verbsAt } from '../support/command.js';
import { useService } from '../support/use-service.js';

const used = useService({ env: { SHELL: '/bin/bash' } });
const { run, out, create } = verbsAt(() => used.service.home);

async function leased() {
  const id = await create('-l', 'role=leased');
  await out('exec', id, '--', 'true');
  await out('lease', 'acquire', id, '--ttl', '600');
  return id;
}

test('exec -d ends as exec does, and says why', async () => {
  const id = await leased();
  const refused = await run('exec', '-d', id, '--', 'true');
  expect(refused).toMatchObject({
    code: 125,
    stdout: expect.stringMatching(/^run_\w+\n$/),
    stderr: expect.stringMatching(/nothing was typed\nIn the way: /),
  });
  await out('close', id);
});

test('the table of batch run does not call them running', async () => {
  const id = await leased();
  const { code, stdout } = await run('batch', 'run', '-l', 'role=leased', '--', 'true');
  expect(code).toBe(125);
  expect(stdout).toMatch(new RegExp(`^${id}\\t[^\\t]*\\tnot-typed\\t.*nothing was typed\\n$`));
  await out('close', id);
});
