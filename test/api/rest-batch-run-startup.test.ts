import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openTerminal, runIn } from '../support/runs.js';
import { useSharedService } from '../support/use-service.js';

let home: string;
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'at-startup-'));
  await writeFile(join(home, '.bashrc'), 'sleep 600 & disown\n');
});
// The service ends first, and with it the processes that the startup file has left.
afterAll(() => rm(home, { recursive: true }));
const used = useSharedService();

/** bash has no job control yet when it reads its startup files: background processes stay in its own job. */
it.each([
  [true, 'integration'],
  [false, 'sentinel'],
])(
  'with integration %s, background processes of a startup file delay no run',
  async (integration, waitedBy) => {
    const id = await openTerminal(used.api, ['bash'], { env: { HOME: home }, integration });
    const run = (line: string) => runIn(used.api, id, line);
    const right = { success: true, done: true, waitedBy };
    expect(await run('(exit 3)')).toMatchObject({ ...right, exitCode: 3 });
    expect(await run('if true; then')).toMatchObject({ exitCode: integration ? null : 2 });
    expect(await run('echo works')).toMatchObject({ ...right, exitCode: 0, raw: 'works\n' });
    const wait = await used.api.post(`/api/terminals/${id}/wait`, { until: 'prompt', timeoutMs: 20_000 });
    expect(wait.body).toMatchObject({ done: true, reason: 'prompt' });
  },
);
