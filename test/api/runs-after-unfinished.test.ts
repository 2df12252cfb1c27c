import { beforeAll, expect, it } from 'vitest';
import { eventually } from '../support/processes.js';
import { openTerminal, runIn, settleHome } from '../support/runs.js';
import { useSharedService } from '../support/use-service.js';

const used = useSharedService();
beforeAll(() => settleHome(used.service.home));

/** Resolves once the last lines of a terminal match. */
function printed(id: string, lines: RegExp): Promise<void> {
  return eventually(`${lines}`, async () => {
    const { body } = await used.api.get<{ raw: string }>(`/api/terminals/${id}/output?lines=5`);
    return lines.test(body.raw);
  });
}

it.each(['bash', 'zsh'])('%s gets a run after somebody has typed a part of a command', async (shell) => {
  const id = await openTerminal(used.api, [shell]);
  await runIn(used.api, id, 'true');
  await used.api.post(`/api/terminals/${id}/input`, { data: 'echo "a\r' });
  await printed(id, /\n[^\n]*> ?$/);
  expect(await runIn(used.api, id, `sh -c 'echo own; exit 7'`)).toMatchObject({
    ...{ success: true, done: true, exitCode: 7, raw: 'own\n' },
  });
});

it('a run ends in time behind a part of a command that the shell does not drop', async () => {
  const id = await openTerminal(used.api, ['bash']);
  await runIn(used.api, id, `trap '' INT`);
  await used.api.post(`/api/terminals/${id}/input`, { data: 'echo "a\r' });
  await printed(id, /\n[^\n]*> ?$/);
  expect(await runIn(used.api, id, 'echo own', { timeoutMs: 2_000 })).toMatchObject({ done: false });
  await used.api.post(`/api/terminals/${id}/input`, { data: 'b"\r' });
  // A Ctrl+C of the next run would flush what the shell has not read yet.
  await printed(id, /\na\n.*b\n/);
  expect(await runIn(used.api, id, 'echo next')).toMatchObject({ done: true, exitCode: 0, raw: 'next\n' });
});
