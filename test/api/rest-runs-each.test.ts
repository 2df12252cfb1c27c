import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import type { CommandList } from '#dist/contract/command.js';
import type { BatchRunAnswer, Run } from '#dist/contract/run.js';
import { createApi, type Failure } from '../support/http.js';
import { eventually } from '../support/processes.js';
import { openTerminal, settleHome } from '../support/runs.js';
import { useSharedService } from '../support/use-service.js';

const used = useSharedService();
beforeAll(() => settleHome(used.service.home));

const open = (shell: string) => openTerminal(used.api, [shell]);
const run = async (body: object, api = used.api) =>
  (await api.post<BatchRunAnswer>('/api/terminals/batch/run', body)).body;
const ended = async (runId: string, timeoutMs: number) =>
  (await used.api.get<Run>(`/api/runs/${runId}?timeoutMs=${timeoutMs}`)).body;

describe('batch/run with a command for each terminal', () => {
  it('answers in each for its own command, in any shell', async () => {
    const shells = ['bash', 'zsh', 'fish', 'dash'];
    const ids = await Promise.all(shells.map(open));
    const runs = [...ids, 'term_unknown'].map((terminalId, index) => ({
      terminalId,
      command: `echo "number ${index}"; sh -c 'exit ${index + 1}'`,
    }));
    const { runId, results, summary } = await run({ runs, timeoutMs: 30_000 });
    expect(results).toMatchObject([
      ...ids.map((terminalId, index) => ({
        ...{ terminalId, command: runs[index]?.command, success: true },
        ...{ exitCode: index + 1, raw: `number ${index}\n` },
      })),
      { terminalId: 'term_unknown', command: runs[4]?.command, success: false, code: 'terminal-not-found' },
    ]);
    expect(summary).toEqual({ total: 5, succeeded: 4, failed: 1, done: 4, zero: 0, nonZero: 4 });
    expect(await ended(runId, 0)).toMatchObject({ state: 'finished', command: null, results, summary });
  });

  it('with waitFor 0 answers at once, and drops nothing; its end can be waited for', async () => {
    const ids = await Promise.all([open('bash'), open('bash')]);
    const [busy, other] = ids as [string, string];
    const file = join(used.service.home, 'go-on');
    const holds = await run({
      terminalIds: [busy],
      command: 'until [ -e ~/go-on ]; do sleep 0.02; done',
      waitFor: 0,
    });
    await eventually('it runs', async () => {
      const { body } = await used.api.get<CommandList>(`/api/terminals/${busy}/commands`);
      return body.commands[0]?.endedAt === null;
    });
    const runs = [
      { terminalId: busy, command: '(exit 5)' },
      { terminalId: other, command: '(exit 6)' },
    ];
    const { runId, results } = await run({ runs, waitFor: 0, timeoutMs: 60_000 });
    expect(results[0]).toMatchObject({ done: false, code: 'not-typed-yet' });
    const early = await ended(runId, 50);
    expect(early).toMatchObject({ state: 'running', results: [{ done: false }, {}] });
    const end = ended(runId, 60_000);
    await writeFile(file, '');
    expect(await end).toMatchObject({
      state: 'finished',
      results: [{ exitCode: 5 }, { exitCode: 6 }],
    });
    expect(await ended(holds.runId, 60_000)).toMatchObject({ state: 'finished', results: [{ exitCode: 0 }] });
  });

  it('is typed once when it is retried with its key', async () => {
    const id = await open('bash');
    const body = { runs: [{ terminalId: id, command: 'echo once >> ~/once; (exit 3)' }], timeoutMs: 30_000 };
    const keyed = createApi(used.service.url, { headers: { 'idempotency-key': 'each-once' } });
    const [first, second] = await Promise.all([run(body, keyed), run(body, keyed)]);
    expect(second).toEqual(first);
    expect(first.results).toMatchObject([{ exitCode: 3 }]);
    const counted = await run({ terminalIds: [id], command: 'cat ~/once', timeoutMs: 30_000 });
    expect(counted.results).toMatchObject([{ raw: 'once\n' }]);
  });

  it.each([
    [{ runs: [] }, 'runs'],
    [{ runs: [{ terminalId: 'a', command: 'x' }], command: 'x' }, 'command'],
    [{ runs: [{ terminalId: 'a', command: 'x' }], terminalIds: ['a'] }, 'terminalIds'],
    [{ runs: [{ terminalId: 'a', command: 'x' }], selector: 'a=b' }, 'terminalIds'],
    [{ terminalIds: ['a'] }, 'command'],
    [{ command: 'x' }, 'terminalIds'],
    [{ runs: ['x', 'y'].map((command) => ({ terminalId: 'a', command })) }, 'names a terminal twice'],
    [{ runs: [{ terminalId: 'a', command: 'x\u0003' }] }, 'command'],
  ])('%j is refused', async (body, field) => {
    const answer = await used.api.post<Failure>('/api/terminals/batch/run', body);
    expect([answer.status, answer.body.error]).toEqual([400, expect.stringContaining(field)]);
  });
});
