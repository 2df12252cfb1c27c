import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Run } from '#dist/contract/run.js';
import { eventually } from '../support/processes.js';
import { connectStream, readStream, startRun } from '../support/run-stream.js';
import { openTerminal, runInAll, settleHome } from '../support/runs.js';
import { useService } from '../support/use-service.js';

const used = useService();
beforeAll(() => settleHome(used.service.home));

const SHELLS = ['bash', 'zsh', 'fish', 'dash'];
const open = (shells: string[]) => Promise.all(shells.map((shell) => openTerminal(used.api, [shell])));
const makeFile = (name: string, content: string | Buffer = '') =>
  writeFile(join(used.service.home, name), content);
const get = async (runId: string) => (await used.api.get<Run>(`/api/runs/${runId}`)).body;
const stream = (runId: string) => readStream(used.service.url, runId);
const whole = { maxBytes: 1024 * 1024 };

/** Returns a command for any shell that runs the lines in `sh`; `go <name>` waits for a file. */
async function script(name: string, lines: string): Promise<string> {
  await makeFile(`${name}.sh`, `go() { until [ -e ~/$1 ]; do sleep 0.02; done; }\n${lines}\n`);
  return `sh ~/${name}.sh`;
}

/** Number of waits in progress. */
async function waits(): Promise<number> {
  const { body } = await used.api.raw({ path: '/metrics' });
  return Number(/^auto_terminal_waits (\d+)$/m.exec(body)?.[1]);
}

describe('the stream of a run', () => {
  it('sends each line before the command has ended, and its result after all', async () => {
    const ids = await open(SHELLS);
    const command = await script('lines', 'echo one; go l1; echo two; go l2; printf three; exit 3');
    const runId = await startRun(used.api, ids, command);
    const reader = await stream(runId);
    await reader.until(() => ids.every((id) => reader.text(id) === 'one\n'));
    await makeFile('l1');
    await reader.until(() => ids.every((id) => reader.text(id) === 'one\ntwo\n'));
    expect(reader.of('result')).toEqual([]);
    await makeFile('l2');
    await reader.end();
    expect(ids.map((id) => reader.text(id))).toEqual(ids.map(() => 'one\ntwo\nthree'));
    const { results, summary } = await get(runId);
    const byId = (one: { terminalId: string }, other: { terminalId: string }) =>
      one.terminalId.localeCompare(other.terminalId);
    expect(reader.of('result').sort(byId)).toEqual(
      results.map((result) => ({ type: 'result', ...result, raw: '' })).sort(byId),
    );
    expect(reader.of('end')).toEqual([{ type: 'end', state: 'finished', summary }]);
    for (const id of ids) {
      const own = reader.events.filter((event) => 'terminalId' in event && event.terminalId === id);
      expect(own.map(({ type }) => type).lastIndexOf('output')).toBeLessThan(own.length - 1);
    }
  });

  it.each<[string, string]>([
    [
      'a progress bar',
      "for i in 1 2 3; do printf '%s0%%\\r' $i; sleep 0.06; done; echo done; printf 'a\\tb '",
    ],
    ['colours', "printf '\\033[1;31mred\\033[m\\n\\033[32mgr'; sleep 0.1; printf 'een\\033[m\\n'"],
    ['no line feed at the end', "printf 'a\\nb'"],
    [
      'a character cut in two',
      "printf 'x\\303'; sleep 0.1; printf '\\251 \\346\\227'; sleep 0.1; printf '\\245\\n'",
    ],
    ['200 KB at once', 'cat ~/large'],
    ['one long line', 'tr -d "\\n" < ~/large'],
    [
      'lines that are drawn anew',
      "printf 'a 1\\nb 1\\n'; sleep 0.2; printf '\\033[2Aa 2\\nb 1\\n'; sleep 0.1; printf '\\033[Ab 3\\n'",
    ],
    ['a cleared screen', "echo a; sleep 0.1; printf '\\033[H\\033[2J'; echo b"],
    ['nothing', 'true'],
  ])('joins to `raw`: %s', async (name, lines) => {
    await makeFile('large', 'a line of text, and its number is always the same\n'.repeat(4_000));
    const ids = await open(SHELLS);
    const command = await script(name.replaceAll(' ', '-'), lines);
    const runId = await startRun(used.api, ids, command, whole);
    const reader = await (await stream(runId)).end();
    const { results } = await get(runId);
    expect(results.length).toBe(ids.length);
    for (const { terminalId, raw, truncated } of results) {
      expect(truncated).toBe(false);
      expect(reader.text(terminalId)).toBe(raw);
    }
    expect(reader.of('gap')).toEqual([]);
    if (name !== 'lines that are drawn anew') expect(reader.of('redrawn')).toEqual([]);
    for (const { text } of reader.of('output')) expect(text.length).toBeLessThanOrEqual(64 * 1024);
    // The run is over: its results are kept.
    const again = await (await stream(runId)).end();
    for (const id of ids) expect(again.text(id)).toBe(reader.text(id));
  });

  it('shows no prompt, however many lines it has, nor what others type', async () => {
    const ids = await open(['bash', 'bash']);
    await runInAll(used.api, ids, "PS1='first line of it\\nsecond\\n$ '");
    const command = await script('prompted', 'echo mine; go p1; echo still');
    const runId = await startRun(used.api, ids, command);
    const reader = await stream(runId);
    await reader.until(() => ids.every((id) => reader.text(id) === 'mine\n'));
    // The line is typed ahead: the shell runs it after the command of the run.
    for (const id of ids) await used.api.post(`/api/terminals/${id}/input`, { data: 'echo theirs\n' });
    await makeFile('p1');
    await reader.end();
    // The terminal echoes the line into the output of the command, as in `raw`.
    const { results } = await get(runId);
    expect(ids.map((id) => reader.text(id))).toEqual(results.map(({ raw }) => raw));
    for (const id of ids) expect(reader.text(id)).not.toMatch(/first line|second|theirs\ntheirs/);
  });

  it('has several lines of a command, and what its shell says of a line that it refuses', async () => {
    const [id] = await open(['bash']);
    const runId = await startRun(used.api, [id!], 'echo a\necho )\necho b\n', whole);
    const reader = await (await stream(runId)).end();
    expect(reader.text(id!)).toBe((await get(runId)).results[0]!.raw);
    expect(reader.text(id!)).toContain('syntax error');
  });

  it('interleaves terminals, and reports one that fails', async () => {
    const [one, other] = (await open(['bash', 'bash'])) as [string, string];
    const turns = (mine: number) =>
      [1, 2, 3].map((turn) => `go t${turn}-${mine}; echo ${mine}-${turn}`).join('; ');
    const commands = await Promise.all([0, 1].map((mine) => script(`turns-${mine}`, turns(mine))));
    const runs = [one, other].map((terminalId, mine) => ({ terminalId, command: commands[mine]! }));
    const { body } = await used.api.post<{ runId: string }>('/api/terminals/batch/run', {
      runs: [...runs, { terminalId: 'term_unknown', command: 'true' }],
      waitFor: 0,
    });
    const reader = await stream(body.runId);
    for (const turn of [1, 2, 3]) {
      for (const mine of [0, 1]) {
        await makeFile(`t${turn}-${mine}`);
        await reader.until(() =>
          reader.events.some((event) => event.type === 'output' && event.text === `${mine}-${turn}\n`),
        );
      }
    }
    await reader.end();
    expect(reader.of('output').map(({ text }) => text.trim())).toEqual([
      '0-1',
      '1-1',
      '0-2',
      '1-2',
      '0-3',
      '1-3',
    ]);
    expect(reader.of('result')[0]).toMatchObject({
      terminalId: 'term_unknown',
      success: false,
      code: 'terminal-not-found',
    });
    expect(reader.of('end')[0]!.summary).toMatchObject({ total: 3, succeeded: 2, failed: 1 });
  });

  it('has the input of a program, and a run that is cancelled or out of time', async () => {
    const cat = await openTerminal(used.api, ['cat']);
    const told = await startRun(used.api, [cat], 'hello', { idleMs: 100, ...whole });
    const reader = await (await stream(told)).end();
    expect(reader.text(cat)).toBe((await get(told)).results[0]!.raw);
    expect(reader.text(cat)).toContain('hello\nhello\n');
    const ids = await open(SHELLS);
    const timed = await startRun(used.api, ids, 'echo began; sleep 600', { timeoutMs: 2_000, ...whole });
    const late = await (await stream(timed)).end();
    const { results } = await get(timed);
    expect(results.length).toBe(ids.length);
    for (const { terminalId, done, raw } of results)
      expect([done, late.text(terminalId)]).toEqual([false, raw]);
    const cancelled = await startRun(used.api, [ids[0]!], 'echo x', { timeoutMs: 600_000 });
    const waiting = await stream(cancelled);
    await used.api.post(`/api/runs/${cancelled}/cancel`);
    await waiting.end();
    expect(waiting.of('result')[0]).toMatchObject({ success: false, code: 'run-cancelled' });
    expect(waiting.of('end')[0]!.state).toBe('cancelled');
  });

  it('begins with what is kept for a client that comes late, after a gap if that is not all', async () => {
    const [one, other] = (await open(['bash', 'bash'])) as [string, string];
    const small = await startRun(used.api, [one], await script('small', 'seq 1000; go late; echo end'));
    const large = await startRun(used.api, [other], await script('large', 'seq 200000; go late; echo end'));
    const early = await stream(small);
    await early.until(() => early.text(one).endsWith('\n1000\n'));
    await eventually('all is printed', async () => {
      const { body } = await used.api.get<{ raw: string }>(`/api/terminals/${other}/output?lines=1`);
      return body.raw.includes('200000');
    });
    const readers = await Promise.all([stream(small), stream(large)]);
    await readers[0].until(() => readers[0].text(one).endsWith('\n1000\n'));
    await readers[1].until(() => readers[1].text(other).endsWith('\n200000\n'));
    await makeFile('late');
    await Promise.all([early, ...readers].map((reader) => reader.end()));
    expect(readers[0].text(one)).toBe(
      `${Array.from({ length: 1000 }, (_, i) => `${i + 1}\n`).join('')}end\n`,
    );
    expect(early.text(one)).toBe(readers[0].text(one));
    expect(readers[1].events.map(({ type }) => type).filter((type) => type === 'gap')).toHaveLength(1);
    expect(readers[1].events[0]).toEqual({ type: 'gap', terminalId: other });
    expect(readers[1].text(other)).toMatch(/^\d+\n[\d\n]{200000,}\n200000\nend\n$/);
    // Of a finished run, only the end of the output is kept.
    const kept = await (await stream(large)).end();
    const { raw } = (await get(large)).results[0]!;
    expect(kept.events[0]!.type).toBe('gap');
    expect(kept.of('gap')).toHaveLength(1);
    // Until the end is written to the disk, it is read from the history, which has more.
    expect(kept.text(other).slice(-raw.length)).toBe(raw);
  });

  it('leaves nothing behind when its client leaves, and goes on for others', async () => {
    const ids = await open(SHELLS);
    const before = await waits();
    const runId = await startRun(used.api, ids, await script('left', 'echo one; go left; echo two'));
    const running = await waits();
    const readers = await Promise.all([1, 2, 3].map(() => stream(runId)));
    for (const reader of readers) await reader.until(() => ids.every((id) => reader.text(id) === 'one\n'));
    expect(await waits()).toBe(running + 3);
    readers[0]!.leave();
    readers[1]!.leave();
    await eventually('they have left', async () => (await waits()) === running + 1);
    await makeFile('left');
    await readers[2]!.end();
    expect(ids.map((id) => readers[2]!.text(id))).toEqual(ids.map(() => 'one\ntwo\n'));
    await eventually('nothing waits', async () => (await waits()) === before);
  });

  it('is not found for a run that was never begun, and answers HEAD without a body', async () => {
    const notFound = { status: 404, body: { error: 'Run not found', code: 'run-not-found' } };
    expect(await used.api.get('/api/runs/run_000000000000/stream')).toMatchObject(notFound);
    const { runId } = await runInAll(used.api, await open(['bash']), 'echo x');
    const { status, body } = await used.api.get<string>(`/api/runs/${runId}/stream`);
    expect([status, body.trim().split('\n').length]).toEqual([200, 3]);
    const long = await startRun(used.api, await open(['bash']), 'sleep 600');
    expect(await used.api.raw({ method: 'HEAD', path: `/api/runs/${long}/stream` })).toMatchObject({
      status: 200,
      body: '',
    });
    const waiting = await connectStream(used.service.url, long);
    waiting.leave();
    await used.api.post(`/api/runs/${long}/cancel`);
  });
});
