import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import type { CommandList } from '#dist/contract/command.js';
import type { BatchRunAnswer, Run, RunList } from '#dist/contract/run.js';
import { postAndDrop } from '../support/dropped-post.js';
import { createApi, type Failure, watch } from '../support/http.js';
import { openKeylog } from '../support/keylog.js';
import { eventually } from '../support/processes.js';
import { openTerminal, runIn, runInAll, settleHome } from '../support/runs.js';
import { useSharedService } from '../support/use-service.js';

const PATH = '/api/terminals/batch/run';
const used = useSharedService();
beforeAll(() => settleHome(used.service.home));

const bash = (more?: object) => openTerminal(used.api, ['bash'], more);

/** Returns a command that runs until a file of this name exists. */
function untilFile(name: string): string {
  return `until [ -e ~/${name} ]; do sleep 0.02; done`;
}

const makeFile = (name: string) => writeFile(join(used.service.home, name), '');

/** Number of waits in progress. */
async function waits(): Promise<number> {
  const { body } = await used.api.get<string>('/metrics');
  return Number(/^auto_terminal_waits (\d+)$/m.exec(body)?.[1]);
}

/** Resolves once a command runs in the terminal. */
function untilItRuns(id: string): Promise<void> {
  return eventually(`${id} runs something`, async () => {
    const { body } = await used.api.get<CommandList>(`/api/terminals/${id}/commands`);
    return body.commands[0]?.endedAt === null;
  });
}

describe('batch/run', () => {
  it('returns per terminal in order: success, done, exitCode, durationMs, raw, truncated; and a summary', async () => {
    const [first, second] = await Promise.all([bash(), openTerminal(used.api, ['dash'])]);
    const ids = [second, 'term_unknown', first, second];
    const { results, summary } = await runInAll(used.api, ids, 'echo "in $0"; [ "$0" = bash ]');
    const told = { success: true, done: true, durationMs: expect.any(Number), truncated: false };
    expect(results).toEqual([
      {
        ...{ terminalId: second, ...told, exitCode: 1, raw: 'in dash\n' },
        ...{ integration: 'none', waitedBy: 'sentinel' },
      },
      {
        ...{ terminalId: 'term_unknown', success: false, done: false, exitCode: null, durationMs: null },
        ...{ raw: '', truncated: false, integration: 'none', waitedBy: null, error: 'Terminal not found' },
        ...{ reason: 'not-typed', code: 'terminal-not-found' },
      },
      {
        ...{ terminalId: first, ...told, exitCode: 0, raw: 'in bash\n' },
        ...{ integration: 'bash', waitedBy: 'integration' },
      },
    ]);
    expect(summary).toEqual({ total: 3, succeeded: 2, failed: 1, done: 2, zero: 1, nonZero: 1 });
  });

  it('waitFor any: answers when the first is done, and the others go on', async () => {
    const [quick, slow] = await Promise.all([bash({ env: { QUICK: '1' } }), bash()]);
    // A shell that is still starting would not get the command by then.
    await runInAll(used.api, [slow, quick], 'true');
    // The quick shell ends only once the slow shell has begun, which otherwise might never get the command.
    const slowly = `: > ~/began; ${untilFile('any')}`;
    const command = `if [ "$QUICK" ]; then ${untilFile('began')}; else ${slowly}; fi; echo over; (exit 6)`;
    const { results, summary } = await runInAll(used.api, [slow, quick], command, { waitFor: 'any' });
    expect(results).toMatchObject([
      { success: true, done: false, exitCode: null, durationMs: null, raw: '' },
      { success: true, done: true, exitCode: 6, raw: 'over\n' },
    ]);
    expect(summary).toEqual({ total: 2, succeeded: 2, failed: 0, done: 1, zero: 0, nonZero: 1 });
    await makeFile('any');
    // The next run waits until the first command ends, and does not return its output.
    expect(await runIn(used.api, slow, 'echo "after $?"')).toMatchObject({ exitCode: 0, raw: 'after 6\n' });
  });

  it('waitFor a number: answers when as many are done, or no more can be', async () => {
    const ids = await Promise.all([bash(), bash(), bash({ env: { SLOW: '1' } })]);
    const command = `[ -z "$SLOW" ] || ${untilFile('number')}`;
    const two = await runInAll(used.api, ids, command, { waitFor: 2 });
    expect(two.results.map(({ done }) => done)).toEqual([true, true, false]);
    const rest = runInAll(used.api, [...ids, 'term_unknown'], 'true', { waitFor: 4 });
    await makeFile('number');
    expect((await rest).summary).toMatchObject({ total: 4, done: 3, failed: 1 });
    const more = await runInAll(used.api, ids, 'true', { waitFor: 10 });
    expect(more.summary).toMatchObject({ total: 3, done: 3 });
  });

  it('timeoutMs: answers with done false at the timeout, and the command goes on', async () => {
    const id = await bash();
    await runIn(used.api, id, 'true');
    const command = `echo before; ${untilFile('timeout')}; exit 5`;
    expect(await runIn(used.api, id, command, { timeoutMs: 1_500 })).toMatchObject({
      ...{ success: true, done: false, exitCode: null, durationMs: null, raw: 'before\n' },
      ...{ truncated: false, waitedBy: 'integration' },
    });
    // Meanwhile the terminal accepts no other run.
    const refused = await runIn(used.api, id, 'echo never', { timeoutMs: 100 });
    const error = 'Not typed: the terminal was busy, or not ready, until the run was over';
    const failure = { error, code: 'not-typed' };
    expect(refused).toMatchObject({ success: false, done: false, raw: '', waitedBy: null, ...failure });
    await makeFile('timeout');
    const exited = await used.api.post(`/api/terminals/${id}/wait`, { until: 'exit' });
    expect(exited.body).toMatchObject({ done: true, exitCode: 5 });
  });

  it('timeoutMs 0: types it, and does not wait', async () => {
    const id = await bash();
    await runIn(used.api, id, 'true');
    expect(await runIn(used.api, id, 'X=typed', { timeoutMs: 0 })).toMatchObject({
      success: true,
      done: false,
    });
    expect(await runIn(used.api, id, 'echo "$X"')).toMatchObject({ raw: 'typed\n' });
  });

  it('maxBytes: returns the end of the output, and reports the cut', async () => {
    const [id, other] = await Promise.all([bash(), openTerminal(used.api, ['dash'])]);
    for (const [maxBytes, raw] of [
      [11, '999\n1000\nü'],
      [10, '99\n1000\nü'],
      // The output starts at the beginning of a line, if a line begins nearby.
      [9, '1000\nü'],
    ] as const) {
      const { results } = await runInAll(used.api, [id, other], 'seq 1000; printf ü', { maxBytes });
      for (const result of results) expect(result).toMatchObject({ raw, truncated: true });
    }
    const none = await runIn(used.api, id, 'echo x', { maxBytes: 0 });
    expect(none).toMatchObject({ done: true, exitCode: 0, raw: '', truncated: true });
    const all = await runIn(used.api, id, 'printf 12', { maxBytes: 2 });
    expect(all).toMatchObject({ raw: '12', truncated: false });
    // A terminal keeps 256 KiB.
    const much = await runIn(used.api, id, 'seq 100000', { maxBytes: 1024 * 1024 });
    expect(much).toMatchObject({ done: true, exitCode: 0, truncated: true });
    expect(much.raw.endsWith('\n99999\n100000\n')).toBe(true);
  });

  it('selector: runs in terminals with the labels; no match is a valid answer', async () => {
    const [one, two] = await Promise.all([
      bash({ labels: { role: 'test', repo: 'api' } }),
      bash({ labels: { role: 'test', repo: 'api', more: '1' } }),
      bash({ labels: { role: 'test', repo: 'web' } }),
    ]);
    const body = { selector: 'role=test,repo=api', command: 'echo here' };
    const { body: answer } = await used.api.post<BatchRunAnswer>(PATH, body);
    expect(answer.results.map(({ terminalId, raw }) => [terminalId, raw]).sort()).toEqual(
      [one, two].map((id) => [id, 'here\n']).sort(),
    );
    const none = await used.api.post(PATH, { ...body, selector: 'role=nobody' });
    const summary = { total: 0, succeeded: 0, failed: 0, done: 0, zero: 0, nonZero: 0 };
    expect(none).toMatchObject({ status: 200, body: { results: [], summary } });
  });

  const terminalIds = ['term_x'];
  it.each<[string, object, RegExp]>([
    ['no target', { command: 'x' }, /^terminalIds: is required without selector/],
    [
      'two targets',
      { terminalIds, selector: 'a=b', command: 'x' },
      /^terminalIds: .* not allowed with them$/,
    ],
    ['no terminal', { terminalIds: [], command: 'x' }, /^terminalIds: must name at least one/],
    ['a broken selector', { selector: 'nonsense', command: 'x' }, /^selector: /],
    ['no command', { terminalIds }, /^command: /],
    ['an empty command', { terminalIds, command: '' }, /^command: /],
    ['waitFor less than none', { terminalIds, command: 'x', waitFor: -1 }, /^waitFor: /],
    ['waitFor some', { terminalIds, command: 'x', waitFor: 'some' }, /^waitFor: /],
    ['a time before now', { terminalIds, command: 'x', timeoutMs: -1 }, /^timeoutMs: /],
    ['more than an hour', { terminalIds, command: 'x', timeoutMs: 3_600_001 }, /^timeoutMs: /],
    ['more than a MiB', { terminalIds, command: 'x', maxBytes: 1_048_577 }, /^maxBytes: /],
    ['no quiet', { terminalIds, command: 'x', idleMs: 0 }, /^idleMs: /],
  ])('%s: 400 for the whole batch', async (_name, body, message) => {
    const { status, body: failure } = await used.api.post<Failure>(PATH, body);
    expect([status, failure.error]).toEqual([400, expect.stringMatching(message)]);
  });

  it('a terminal that has exited is not found', async () => {
    const id = await bash();
    expect(await runIn(used.api, id, 'exit 3')).toMatchObject({ success: true, done: true, exitCode: 3 });
    const again = await runIn(used.api, id, 'echo x');
    expect(again).toMatchObject({ success: false, done: false, raw: '', error: 'Terminal not found' });
  });

  it('two at once in one terminal take turns', async () => {
    const ids = await Promise.all([
      bash(),
      openTerminal(used.api, ['dash']),
      openTerminal(used.api, ['fish']),
    ]);
    const runs = Array.from({ length: 8 }, (_, index) =>
      runInAll(used.api, ids, `echo begin ${index}; sleep 0.05; echo end ${index}; sh -c 'exit ${index}'`),
    );
    for (const [index, { results }] of (await Promise.all(runs)).entries())
      for (const { exitCode, raw } of results)
        expect([exitCode, raw]).toEqual([index, `begin ${index}\nend ${index}\n`]);
  });

  it('a client that leaves ends neither the run nor the command', async () => {
    const ids = [await bash(), await openTerminal(used.api, ['dash'])];
    await runInAll(used.api, ids, 'true');
    const body = { terminalIds: ids, command: `${untilFile('left')}; echo went on` };
    const until = () => Promise.all(ids.map(untilItRuns));
    await postAndDrop(used.service.url, { path: PATH, body, until });
    const { body: listed } = await used.api.get<RunList>('/api/runs?limit=1');
    const [newest] = listed.runs;
    expect(newest).toMatchObject({ state: 'running', command: body.command, terminals: 2 });
    expect(await waits()).toBe(2);
    await makeFile('left');
    await eventually('nobody waits', async () => (await waits()) === 0);
    const { body: run } = await used.api.get<Run>(`/api/runs/${newest!.runId}`);
    expect(run.state).toBe('finished');
    expect(run.results.map(({ done, raw }) => [done, raw])).toEqual(ids.map(() => [true, 'went on\n']));
  });

  it('a terminal that is closed meanwhile fails, and delays no other', async () => {
    const [closed, other] = await Promise.all([bash(), bash()]);
    const running = runInAll(used.api, [closed, other], untilFile('closed'));
    await untilItRuns(closed);
    expect((await used.api.delete(`/api/terminals/${closed}`)).status).toBe(200);
    await makeFile('closed');
    expect((await running).results).toMatchObject([
      { success: false, done: false, exitCode: null, raw: '', error: 'Terminal not found' },
      { success: true, done: true, exitCode: 0 },
    ]);
  });

  it('a retry with the same Idempotency-Key, after a broken connection: typed once', async () => {
    const watcher = await watch(used.service.url);
    const keylog = await openKeylog(used.api, watcher);
    const body = { terminalIds: [keylog.id], command: 'once' };
    const dropped = { path: PATH, key: 'run in a program', body };
    await postAndDrop(used.service.url, { ...dropped, until: () => keylog.until('once\r') });
    for (let drops = 0; drops < 3; drops++) await postAndDrop(used.service.url, dropped);
    const keyed = createApi(used.service.url, { headers: { 'idempotency-key': dropped.key } });
    const retried = await keyed.post<BatchRunAnswer>(PATH, body);
    expect(retried.headers['idempotent-replayed']).toBe('true');
    expect(retried.body.results).toMatchObject([{ success: true, done: true, exitCode: null }]);
    await used.api.post(`/api/terminals/${keylog.id}/input`, { data: 'END' });
    expect(await keylog.until('END')).toBe('once\rEND');
    await watcher.close();
  });
});
