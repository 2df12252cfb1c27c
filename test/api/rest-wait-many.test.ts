import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Terminal } from '#dist/contract/terminal.js';
import type { WaitManyAnswer } from '#dist/contract/wait-many.js';
import { CLAUDE, drawnAgent } from '../support/drawn-agents.js';
import { type FakeAgents, fakeAgents } from '../support/fake-agents.js';
import type { Failure } from '../support/http.js';
import { eventually } from '../support/processes.js';
import { useSharedService } from '../support/use-service.js';
import { WaitClient } from '../support/waits.js';

const used = useSharedService();
const waits = new WaitClient(() => used.api);
let agents: FakeAgents;
let claude: string;

beforeAll(async () => {
  agents = await fakeAgents();
  claude = await agents.script('bin/claude', drawnAgent(CLAUDE));
});
afterAll(() => agents?.remove());

const create = async (body?: object) => (await used.api.post<Terminal>('/api/terminals', body)).body.id;
const type = (id: string, data: string) => used.api.post(`/api/terminals/${id}/input`, { data });
const send = (body: object) => used.api.post<WaitManyAnswer>('/api/terminals/wait', body);
const wait = async (body: object) => (await send(body)).body;

/** A bash at its prompt, in which the line has been run if there is one. */
async function shell(line?: string): Promise<string> {
  const id = await create({ command: ['bash'] });
  await waits.wait(id, { until: 'prompt' });
  if (line !== undefined) {
    await type(id, `${line}\r`);
    await waits.wait(id, { until: 'command' });
  }
  return id;
}

const QUESTION =
  'Bash command\n\n  rm -rf dist\n\nDo you want to proceed?\n❯ 1. Yes\n  2. No\n\nEsc to cancel · Tab to amend';

describe('POST /api/terminals/wait for agents', () => {
  test('answers which agents ask, with the question, and tells each question once if it is passed as seen', async () => {
    const labels = { case: 'inbox' };
    const [first, second] = await Promise.all([
      create({ command: [claude], labels, name: 'first' }),
      create({ command: [claude], labels, name: 'second' }),
    ]);
    const request = { selector: 'case=inbox', until: ['waiting'] };
    await wait({ ...request, until: ['idle'], mode: 'all' });
    const asked = wait(request);
    await type(first, 'p');
    const answer = await asked;
    expect(answer).toMatchObject({
      done: true,
      pending: [second],
      summary: { total: 2, met: 1, gone: 0, pending: 1 },
      results: [
        {
          ...{ terminalId: first, event: 'waiting', name: 'first', labels, question: QUESTION },
          ...{ agent: 'claude', agentStatus: 'waiting', agentStatusReason: 'a dialog is open' },
        },
      ],
    });
    // The agent still asks, which is the same occurrence.
    const now = await wait({ ...request, timeoutMs: 0 });
    expect(now.results).toEqual(answer.results);
    const seen = answer.results.map(({ id }) => id);
    expect(await wait({ ...request, timeoutMs: 0, seen })).toMatchObject({ done: false, results: [] });
    const next = wait({ ...request, seen });
    await type(second, 'p');
    const { results } = await next;
    expect(results).toMatchObject([{ terminalId: second, question: QUESTION }]);
    seen.push(results[0]?.id);
    // The first agent is answered, goes on, and asks the same again: a new occurrence.
    await type(first, 'w');
    await wait({ ...request, terminalIds: [first], selector: undefined, until: ['working'] });
    await type(first, 'p');
    const again = (await wait({ ...request, seen })).results.find(({ terminalId }) => terminalId === first);
    expect(again).toMatchObject({ event: 'waiting', question: QUESTION });
    expect(seen).not.toContain(again?.id);
  });

  test('two that begin to ask together are both told, though one is enough', async () => {
    const labels = { case: 'together' };
    const ids = await Promise.all(Array.from({ length: 5 }, () => create({ command: [claude], labels })));
    await wait({ selector: 'case=together', until: ['idle'], mode: 'all' });
    await used.api.post('/api/terminals/batch/input', { terminalIds: ids, data: 'p' });
    const both = await wait({ selector: 'case=together', until: ['waiting'], mode: 2 });
    expect(both.done).toBe(true);
    expect(both.summary.met).toBeGreaterThanOrEqual(2);
    const all = await wait({ selector: 'case=together', until: ['waiting'], mode: 'all' });
    expect(all.results.map(({ terminalId }) => terminalId)).toEqual(ids);
  });
});

describe('POST /api/terminals/wait for commands and programs', () => {
  test('a command that has failed, before the request or after it, and not one that succeeds', async () => {
    const [failed, fails, succeeds] = await Promise.all([shell('(exit 3)'), shell('true'), shell()]);
    const terminalIds = [failed, fails, succeeds];
    const request = { terminalIds, until: ['failed'] };
    const known = await wait(request);
    expect(known).toMatchObject({
      done: true,
      results: [{ terminalId: failed, event: 'failed', command: { commandLine: '(exit 3)', exitCode: 3 } }],
      pending: [fails, succeeds],
    });
    const seen = known.results.map(({ id }) => id);
    const next = wait({ ...request, seen });
    await type(succeeds, 'true\r');
    await waits.wait(succeeds, { until: 'command' });
    await type(fails, '(exit 4)\r');
    expect((await next).results).toMatchObject([{ terminalId: fails, command: { exitCode: 4 } }]);
    // The next command in the first terminal succeeds, so nothing has failed there any more.
    await type(failed, 'true\r');
    await waits.wait(failed, { until: 'command' });
    expect((await wait({ ...request, timeoutMs: 0 })).pending).toEqual([failed, succeeds]);
  });

  test('a command that runs has not finished, even if the one before it has', async () => {
    const id = await shell('true');
    await type(id, 'read x\r');
    await eventually('it runs', async () => {
      const { pending } = await wait({ terminalIds: [id], until: ['finished'], timeoutMs: 0 });
      return pending.length === 1;
    });
    const ends = wait({ terminalIds: [id], until: ['finished'] });
    await type(id, 'done\r');
    expect((await ends).results).toMatchObject([
      { event: 'finished', command: { commandLine: 'read x', exitCode: 0 } },
    ]);
  });

  test('a command of a shell within the shell', async () => {
    const id = await shell('true');
    await type(id, 'bash\r');
    await waits.wait(id, { until: 'prompt' });
    const failed = wait({ terminalIds: [id], until: ['failed'] });
    await type(id, '(exit 5)\r');
    expect(await failed).toMatchObject({
      results: [{ event: 'failed', command: { commandLine: '(exit 5)', exitCode: 5 } }],
    });
    await type(id, 'sleep 100\r');
    await waits.wait(id, { until: 'text', text: 'sleep 100', echo: true });
    await eventually('the next command runs', async () => {
      const { results } = await wait({ terminalIds: [id], until: ['finished'], timeoutMs: 0 });
      return results.length === 0;
    });
  });

  test('programs that end: by an exit code, by a signal; closed and unknown ones can meet nothing', async () => {
    const [ends, dies, closes, stays] = await Promise.all([
      create({ command: ['sh', '-c', 'read x; exit 0'] }),
      create({ command: ['sh', '-c', 'read x; kill -9 $$'] }),
      create({ command: ['cat'] }),
      create({ command: ['cat'] }),
    ]);
    const terminalIds = [ends, dies, closes, 'term_unknown', stays];
    const all = wait({ terminalIds, until: ['failed', 'exited'], mode: 2 });
    await used.api.delete(`/api/terminals/${closes}`);
    await type(ends, '\r');
    await type(dies, '\r');
    const missing = { event: null, error: 'Terminal not found', code: 'terminal-not-found' };
    expect(await all).toMatchObject({
      done: true,
      results: [
        { terminalId: ends, event: 'exited', exitCode: 0, signal: null },
        { terminalId: dies, event: 'failed', exitCode: null, signal: 'SIGKILL' },
        { terminalId: closes, ...missing },
        { terminalId: 'term_unknown', ...missing },
      ],
      pending: [stays],
      summary: { total: 5, met: 2, gone: 2, pending: 1 },
    });
    // An exited terminal can show no agent any more, so the answer does not wait for it.
    const gone = await wait({
      terminalIds: [ends, dies],
      until: ['waiting'],
      mode: 'all',
      timeoutMs: 3_600_000,
    });
    expect(gone).toMatchObject({ done: false, results: [{ event: null, exitCode: 0 }, { event: null }] });
  });
});

describe('POST /api/terminals/wait', () => {
  test('without a terminal answers at once that nothing has happened', async () => {
    const answer = await wait({
      selector: 'case=none',
      until: ['exited'],
      mode: 'all',
      timeoutMs: 3_600_000,
    });
    expect(answer).toEqual({
      ...{ done: false, results: [], pending: [] },
      summary: { total: 0, met: 0, gone: 0, pending: 0 },
    });
  });

  test('at its time limit names what is pending', async () => {
    const id = await create({ command: ['cat'] });
    const until = ['waiting', 'idle', 'working', 'failed', 'finished', 'exited'];
    expect(await wait({ terminalIds: [id, id], until, timeoutMs: 50 })).toMatchObject({
      done: false,
      pending: [id],
    });
  });

  test('leaves nothing behind when its client leaves', async () => {
    const ids = await Promise.all(Array.from({ length: 20 }, () => create({ command: ['cat'] })));
    const client = new AbortController();
    const left = fetch(`${used.service.url}/api/terminals/wait`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ terminalIds: ids, until: ['waiting', 'exited'], timeoutMs: 3_600_000 }),
      signal: client.signal,
    }).catch(({ name }: Error) => name);
    await eventually('all are waited for', async () => (await waits.count()) === ids.length);
    client.abort();
    expect(await left).toBe('AbortError');
    await eventually('none is waited for', async () => (await waits.count()) === 0);
    expect(used.service.log()).not.toMatch(/MaxListeners|Unhandled|"level":[56]0/);
  });

  test.each([
    [{ until: ['waiting'] }, 'terminalIds'],
    [{ terminalIds: ['a'], selector: 'a=b', until: ['waiting'] }, 'terminalIds'],
    [{ terminalIds: ['a'], until: [] }, 'until'],
    [{ terminalIds: ['a'], until: ['sleeping'] }, 'until'],
    [{ terminalIds: ['a'], until: ['exited'], mode: 0 }, 'mode'],
    [{ terminalIds: ['a'], until: ['exited'], mode: 'some' }, 'mode'],
  ])('%j is refused', async (body, field) => {
    const answer = await used.api.post<Failure>('/api/terminals/wait', body);
    expect([answer.status, answer.body.error]).toEqual([400, expect.stringContaining(field)]);
  });
});
