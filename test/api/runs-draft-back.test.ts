import { beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../support/processes.js';
import { commandsIn, openTerminal, runIn, settleHome, shownIn } from '../support/runs.js';
import { useSharedService } from '../support/use-service.js';

/** The key that restores a half-typed line reaches the line editor, and never a command. */

const used = useSharedService();
beforeAll(() => settleHome(used.service.home));

const type = (id: string, data: string) => used.api.post(`/api/terminals/${id}/input`, { data });

const shown = (id: string) => shownIn(used.api, id);
const commandsOf = (id: string) => commandsIn(used.api, id);

describe.each(['bash', 'zsh', 'fish'])('in %s a half-typed line', (shell) => {
  it('comes back behind a line that was typed ahead, which gets no key of the service', async () => {
    const id = await openTerminal(used.api, [shell]);
    await runIn(used.api, id, 'true');
    await type(id, 'echo half');
    await eventually('it is echoed', async () => (await shown(id)).includes('echo half'));
    const run = runIn(used.api, id, 'sleep 0.4');
    await eventually('it runs', async () => (await commandsOf(id)).at(-1) === 'sleep 0.4 = null');
    await type(id, 'timeout --foreground 1 cat -v\r');
    expect(await run).toMatchObject({ exitCode: 0 });
    await eventually(
      'both have ended',
      async () => (await commandsOf(id)).length === 3 && !(await commandsOf(id)).at(-1)?.endsWith('null'),
    );
    await eventually('it is back', async () => (await shown(id)).trimEnd().endsWith('echo half'));
    expect(await shown(id)).not.toContain('9006');
    await type(id, '\r');
    await eventually('it runs', async () => (await commandsOf(id)).at(-1) === 'echo half = 0');
    expect(await commandsOf(id)).toEqual([
      'true = 0',
      'sleep 0.4 = 0',
      'timeout --foreground 1 cat -v = 124',
      'echo half = 0',
    ]);
  });
});
