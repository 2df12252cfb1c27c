import { expect, test } from 'vitest';
import type { Prompt } from '#dist/contract/prompt.js';
import { verbsAt } from '../support/command.js';
import { eventually } from '../support/processes.js';
import { useService } from '../support/use-service.js';

const used = useService({ env: { SHELL: '/bin/bash' } });
const { out, run, json, create } = verbsAt(() => used.service.home);

test('prompts queues a prompt, lists it, and cancels it', async () => {
  await create('-n', 'waits', '--', 'cat');
  const id = (
    await out('prompts', 'add', 'waits', 'hello', '--when', 'agent-idle', '--expires', '600')
  ).trim();
  expect(id).toMatch(/^pr_[0-9a-f]{16}$/);
  const { prompts: listed } = await json<{ prompts: Prompt[] }>('prompts', 'list', 'waits');
  expect(listed).toMatchObject([{ id, prompt: 'hello', when: 'agent-idle', state: 'queued', position: 1 }]);
  expect(await out('prompts', 'list', '--state', 'queued', '-q')).toBe(`${id}\n`);
  await out('prompts', 'cancel', id);
  expect(await out('prompts', 'list')).toMatch(new RegExp(`^${id}\\t.*\\tcancelled\\trequested\\t`));
  const again = await run('prompts', 'cancel', id);
  expect(again).toMatchObject({ code: 5, stderr: expect.stringContaining('auto-terminal prompts list') });
});

test('prompts add types into a shell at its prompt', async () => {
  const shell = await create('-n', 'shell');
  const id = (await out('prompts', 'add', 'shell', 'echo so', '--when', 'command-end')).trim();
  await eventually('it is typed', async () => {
    const { body } = await used.api.get<Prompt>(`/api/terminals/${shell}/prompts/${id}`);
    return body.state === 'submitted';
  });
});

test.each([
  [['prompts', 'add', 'nobody', 'x'], 3],
  [['prompts', 'add', 'waits', 'x', '--at', '2030-01-01T00:00', '--after', '1'], 2],
  [['prompts', 'add', 'waits', 'x', '--at', 'soon'], 2],
  [['prompts', 'add', 'waits', 'x', '--when', 'never'], 2],
  [['prompts', 'cancel', 'pr_unknown'], 3],
])('%j fails with exit code %i', async (args, code) => {
  expect(await run(...args)).toMatchObject({ code, stdout: '' });
});
