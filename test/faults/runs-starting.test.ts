import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openTerminal, runInAll } from '../support/runs.js';
import { useService } from '../support/use-service.js';

const TERMINALS = 100;

/** Uses a processor for about 0.1 s. */
const BUSY = 'for ((i = 0; i < 40000; i++)); do :; done\n';

let home: string;
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'at-starting-'));
});
// The service ends first: its shells may still be starting.
afterAll(() => rm(home, { recursive: true }));
const used = useService();

it.each([
  ['works', BUSY],
  // Longer than any guessed time for a shell to start.
  ['sleeps', 'sleep 12\n'],
])(
  'a run in 100 shells whose startup file %s waits for them, and has the exit code of its own command',
  async (_what, startup) => {
    await writeFile(join(home, '.bashrc'), startup);
    const env = { HOME: home };
    const opened = Array.from({ length: TERMINALS }, () => openTerminal(used.api, ['bash'], { env }));
    const ids = await Promise.all(opened);
    const { results } = await runInAll(used.api, ids, 'sh -c "exit 3"', { timeoutMs: 180_000 });
    const told = results.map(({ success, exitCode, waitedBy }) => `${success} ${exitCode} ${waitedBy}`);
    expect(new Set(told)).toEqual(new Set(['true 3 integration']));
    await Promise.all(ids.map((id) => used.api.delete(`/api/terminals/${id}`)));
  },
  240_000,
);
