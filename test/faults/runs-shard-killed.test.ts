import { access, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { FleetExecution } from '#dist/contract/fleet.js';
import { type AppInProcess, startAppInProcess } from '../support/app.js';
import { type Api, createApi } from '../support/http.js';
import { eventually } from '../support/processes.js';
import { openTerminal, runInAll } from '../support/runs.js';

let running: AppInProcess;
let api: Api;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'at-runs-'));
  running = await startAppInProcess({ terminals: { shards: 2 } });
  api = createApi(running.app.url);
});

afterAll(async () => {
  await running?.stop();
  await rm(folder, { recursive: true });
});

/** Resolves once the file exists. */
function untilThere(name: string): Promise<void> {
  const isThere = () =>
    access(join(folder, name)).then(
      () => true,
      () => false,
    );
  return eventually(`${name} is there`, isThere);
}

async function killShards(): Promise<void> {
  const shards = await running.app.terminals.shards;
  await Promise.all([shards.kill(0), shards.kill(1)]);
}

/** Command that prints, makes a file to show that it runs, and runs until another file exists. */
function command(name: string): string {
  return `echo "before $INDEX"; touch "${folder}/${name}-$INDEX"; until [ -e ${folder}/${name} ]; do sleep 0.02; done`;
}

describe('shards that die while commands run', () => {
  it('lose no result: exit codes and output are as without the death', async () => {
    const shells = ['bash', 'dash', 'bash', 'dash', 'bash', 'dash'];
    const open = (shell: string, index: number) => openTerminal(api, [shell], { env: { INDEX: `${index}` } });
    const ids = await Promise.all(shells.map(open));
    const run = runInAll(api, ids, `${command('go')}; echo "after $INDEX"; (exit "$INDEX")`);
    await Promise.all(ids.map((_, index) => untilThere(`go-${index}`)));
    await killShards();
    await writeFile(join(folder, 'go'), '');
    const { results, summary } = await run;
    expect(summary).toMatchObject({ succeeded: 6, done: 6, zero: 1, nonZero: 5 });
    for (const [index, result] of results.entries()) {
      const whole = `before ${index}\nafter ${index}\n`;
      // A terminal that was quiet for SLEEP_AFTER_MS is kept as its screen: only the shard had the output before it.
      const raw = result.truncated ? `after ${index}\n` : whole;
      const waitedBy = shells[index] === 'bash' ? 'integration' : 'sentinel';
      expect(result).toMatchObject({ success: true, done: true, exitCode: index, raw, waitedBy });
    }
  });

  it('do not stop lines that wait to be typed', async () => {
    const ids = await Promise.all(['bash', 'dash'].map((shell) => openTerminal(api, [shell])));
    // There are only 3 rounds: a service whose shards die too often gives up.
    for (let round = 0; round < 3; round++) {
      const run = runInAll(api, ids, `echo "round ${round}"; (exit ${round})`);
      await killShards();
      const { results } = await run;
      for (const result of results)
        expect(result).toMatchObject({ success: true, exitCode: round, raw: `round ${round}\n` });
    }
    expect(running.fatal).toEqual([]);
  });

  it('lose no result of fleet/execute either', async () => {
    const [fresh, terminalId] = ['fresh', await openTerminal(api, ['bash'], { env: { INDEX: '' } })];
    const executions = [{ command: command(fresh) }, { terminalId, command: command('own') }].map((body) =>
      api.post<FleetExecution>('/api/fleet/execute', { ...body, command: `${body.command}; (exit 3)` }),
    );
    await Promise.all([untilThere('fresh-'), untilThere('own-')]);
    await killShards();
    await Promise.all(['fresh', 'own'].map((name) => writeFile(join(folder, name), '')));
    for (const { status, body } of await Promise.all(executions)) {
      expect([status, body.done, body.exitCode]).toEqual([200, true, 3]);
      expect(body.screen).toMatch(/^before ?$/m);
    }
  });
});
