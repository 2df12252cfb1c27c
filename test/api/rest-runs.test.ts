import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import type { CommandList } from '#dist/contract/command.js';
import type { Run, RunList } from '#dist/contract/run.js';
import { eventually } from '../support/processes.js';
import { openTerminal, runInAll, settleHome } from '../support/runs.js';
import { useSharedService } from '../support/use-service.js';

const used = useSharedService();
beforeAll(() => settleHome(used.service.home));

const bash = () => openTerminal(used.api, ['bash']);
const get = (runId: string) => used.api.get<Run>(`/api/runs/${runId}`);
const cancel = (runId: string) => used.api.post<Run>(`/api/runs/${runId}/cancel`);
const makeFile = (name: string) => writeFile(join(used.service.home, name), '');
const untilFile = (name: string) => `until [ -e ~/${name} ]; do sleep 0.02; done`;

/** The commands of a terminal, newest first. */
async function commandsOf(id: string) {
  const { body } = await used.api.get<CommandList>(`/api/terminals/${id}/commands`);
  return body.commands;
}

const untilItRuns = (id: string) =>
  eventually(`${id} runs something`, async () => (await commandsOf(id))[0]?.endedAt === null);

/** Resolves once the line is printed: a command that has begun may have printed nothing yet. */
const untilItPrints = (id: string, line: string) =>
  eventually(`${id} prints ${line}`, async () => {
    const { body } = await used.api.get<{ raw: string }>(`/api/terminals/${id}/output`);
    return body.raw.split('\n').includes(line);
  });

describe('a run', () => {
  it('later returns its answer again, and is listed', async () => {
    const ids = [await bash(), await openTerminal(used.api, ['dash']), 'term_unknown'];
    const before = Date.now();
    const command = 'echo "in $0"; (exit 4)';
    const { runId, ...answer } = await runInAll(used.api, ids, command);
    expect(runId).toMatch(/^run_[0-9a-z]{12}$/);
    const { body } = await get(runId);
    const head = { runId, state: 'finished', command, createdAt: expect.any(Number), terminals: 3 };
    expect(body).toEqual({ ...head, ...answer });
    expect(body.createdAt).toBeGreaterThanOrEqual(before);
    const other = await runInAll(used.api, ids.slice(0, 1), 'true');
    const { body: listed } = await used.api.get<RunList>('/api/runs?limit=2');
    expect(listed.runs.map((run) => run.runId)).toEqual([other.runId, runId]);
    expect(listed.runs[1]).toEqual(head);
  });

  it('of fleet/execute is listed, too', async () => {
    const { body } = await used.api.post<{ runId: string; terminalId: string }>('/api/fleet/execute', {
      command: '(exit 6)',
    });
    const { body: run } = await get(body.runId);
    expect(run.results).toMatchObject([{ terminalId: body.terminalId, done: true, exitCode: 6 }]);
  });

  it('in progress returns its state, also after its answer', async () => {
    const ids = [await bash(), await bash(), await bash()];
    const [quick, slow, busy] = ids;
    await runInAll(used.api, ids, 'true');
    const holding = runInAll(used.api, [busy!], untilFile('busy'));
    await untilItRuns(busy!);
    const slowly = `echo waits; ${untilFile('slow')}; (exit 5)`;
    const command = `if [ "$SERVICE_TERMINAL_ID" = ${quick} ]; then ${untilFile('quick')}; else ${slowly}; fi`;
    const answering = runInAll(used.api, ids, command, { waitFor: 'any' });
    await untilItPrints(slow!, 'waits');
    await makeFile('quick');
    const answered = await answering;
    const notTyped = 'Not typed: the terminal was busy, or not ready, until the run was over';
    const standing = [
      { terminalId: quick, success: true, done: true, exitCode: 0 },
      { terminalId: slow, success: true, done: false, exitCode: null },
      { terminalId: busy, success: false, done: false, error: notTyped, code: 'not-typed' },
    ];
    expect(answered.results).toMatchObject(standing);
    // A poll, so that a failure shows what there is instead.
    const printedBySlow = async () => (await get(answered.runId)).body.results[1]?.raw;
    await expect.poll(printedBySlow).toBe('waits\n');
    expect((await get(answered.runId)).body).toMatchObject({ state: 'running', results: standing });
    await makeFile('slow');
    await eventually('it is over', async () => (await get(answered.runId)).body.state === 'finished');
    expect((await get(answered.runId)).body.results[1]).toMatchObject({
      done: true,
      exitCode: 5,
      raw: 'waits\n',
    });
    await makeFile('busy');
    expect((await holding).results[0]).toMatchObject({ done: true });
    expect((await commandsOf(busy!)).map(({ commandLine }) => commandLine)).not.toContain(command);
  });

  it('that was never begun is not found', async () => {
    const notFound = { status: 404, body: { error: 'Run not found' } };
    expect(await get('run_000000000000')).toMatchObject(notFound);
    expect(await cancel('run_000000000000')).toMatchObject(notFound);
  });
});

describe('a run that is cancelled', () => {
  it('is interrupted if a shell runs it, and typed nowhere else; no other command is interrupted', async () => {
    const ids = [await bash(), await openTerminal(used.api, ['dash']), await bash()];
    const [one, other, busy] = ids;
    await runInAll(used.api, ids, 'true');
    const holding = runInAll(used.api, [busy!], `${untilFile('held')}; (exit 3)`);
    await untilItRuns(busy!);
    const command = 'echo began; sleep 600';
    const running = runInAll(used.api, ids, command, { timeoutMs: 600_000 });
    await Promise.all([one, other].map((id) => untilItPrints(id!, 'began')));
    const { body: listed } = await used.api.get<RunList>('/api/runs?limit=1');
    const { runId } = listed.runs[0]!;
    const { status, body } = await cancel(runId);
    expect([status, body.state]).toEqual([200, 'cancelled']);
    const answer = await running;
    expect(answer.results).toMatchObject([
      { terminalId: one, done: true, exitCode: 130, raw: expect.stringMatching(/^began\n/) },
      { terminalId: other, raw: expect.stringMatching(/^began\n/) },
      { success: false, done: false, error: 'Not typed: the run was cancelled', code: 'run-cancelled' },
    ]);
    await makeFile('held');
    expect((await holding).results).toMatchObject([{ done: true, exitCode: 3 }]);
    expect((await commandsOf(busy!)).map(({ commandLine }) => commandLine)).not.toContain(command);
    expect((await get(runId)).body).toMatchObject({ state: 'cancelled', results: answer.results });
  });

  it('stays as it is once it is over', async () => {
    const { runId, results } = await runInAll(used.api, [await bash()], 'true');
    expect(await cancel(runId)).toMatchObject({ status: 200, body: { state: 'finished', results } });
  });
});
