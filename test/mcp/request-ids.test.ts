// Clients choose their own request ids: whatever these are, each call gets its own answer, and its own end.
import { beforeEach, expect, test } from 'vitest';
import type { CommandList } from '#dist/contract/command.js';
import { rpc, sessionOf } from '../support/mcp-raw.js';
import { eventually, openFiles } from '../support/processes.js';
import { cancelRuns } from '../support/runs.js';
import { useSidecar } from '../support/use-sidecar.js';

const used = useSidecar();
let terminalId: string;
let session: string;
beforeEach(async () => {
  const { body } = await used.api.post<{ id: string }>('/api/terminals', { command: ['bash'] });
  terminalId = body.id;
  session = await sessionOf(used.sidecar.url);
});

function run(command: string, id: string | number, signal?: AbortSignal) {
  const args = { terminalId, command, wait: true };
  const message = { id, method: 'tools/call', params: { name: 'execute_command', arguments: args } };
  return rpc(used.sidecar.url, message, { session, signal });
}

function cancel(requestId: string | number) {
  const message = { method: 'notifications/cancelled', id: undefined, params: { requestId } };
  return rpc(used.sidecar.url, message, { session });
}

async function waits(): Promise<number> {
  const { body } = await used.api.get<string>('/metrics');
  return Number(/^auto_terminal_waits (\d+)$/m.exec(body)?.[1]);
}

/** The commands that the shell of the terminal has reported, oldest first. */
async function commands(): Promise<string[]> {
  const { body } = await used.api.get<CommandList>(`/api/terminals/${terminalId}/commands`);
  return body.commands.map(({ commandLine }) => commandLine).reverse();
}

/** The output of an answer's command. */
function rawOf({ result = {} }: Awaited<ReturnType<typeof run>>): string | undefined {
  const { results } = result.structuredContent as { results: { raw: string }[] };
  return results[0]?.raw;
}

test('calls of one session with the same id at the same time each get their own answer', async () => {
  const answers = await Promise.all(['one', 'two', 'three'].map((word) => run(`echo ${word}`, 1)));
  expect(answers.map(rawOf)).toEqual(['one\n', 'two\n', 'three\n']);
});

test('a call repeated under its id after its connection broke gets its own answer', async () => {
  for (let time = 1; time <= 10; time++) {
    const leave = new AbortController();
    const left = run('sleep 0.3; echo first', 5, leave.signal).catch(() => 'left');
    await eventually('it waits', async () => (await waits()) === 1);
    leave.abort();
    expect(await left).toBe('left');
    expect(rawOf(await run(`echo again ${time}`, 5))).toBe(`again ${time}\n`);
  }
});

test.each([0, '', 7, 'seven'])(
  'a call with the id %j that is cancelled ends, and its run goes on',
  async (id) => {
    const answer = run('sleep 1000', id);
    await eventually('it runs', async () => (await commands()).includes('sleep 1000'));
    expect((await cancel(id)).status).toBe(202);
    expect((await answer).messages).toEqual([]);
    expect(await waits()).toBe(1);
    await cancelRuns(used.api);
    await eventually('nothing waits', async () => (await waits()) === 0);
  },
);

test('a command that is not typed yet when its call is cancelled never is', async () => {
  await run('true', 1);
  await used.api.post(`/api/terminals/${terminalId}/input`, { data: 'cat\r' });
  const answer = run('echo too late', 2);
  await eventually('it waits', async () => (await waits()) === 1);
  await cancel(2);
  await answer;
  await eventually('nothing waits', async () => (await waits()) === 0);
  await used.api.post(`/api/terminals/${terminalId}/input`, { data: '\x04' });
  await run('true', 3);
  expect(await commands()).toEqual(['true', 'cat', 'true']);
});

test('one call of a batch is cancelled, and the others are answered', async () => {
  const call = { jsonrpc: '2.0', method: 'tools/call' };
  const args = { terminalId, command: 'sleep 1000', wait: true };
  const batch = [
    { ...call, id: 1, params: { name: 'execute_command', arguments: args } },
    { ...call, id: 2, params: { name: 'list_machines' } },
  ];
  const response = await fetch(used.sidecar.url, {
    method: 'POST',
    headers: {
      accept: 'application/json, text/event-stream',
      'content-type': 'application/json',
      'mcp-session-id': session,
    },
    body: JSON.stringify(batch),
  });
  await eventually('it waits', async () => (await waits()) === 1);
  await cancel(1);
  const text = await response.text();
  expect([text.includes('"id":2'), text.includes('"id":1')]).toEqual([true, false]);
  await cancelRuns(used.api);
});

test('a batch that cancels its own call ends', async () => {
  const call = { jsonrpc: '2.0', id: 1, method: 'tools/call' };
  const cancelled = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } };
  const response = await fetch(used.sidecar.url, {
    method: 'POST',
    headers: {
      accept: 'application/json, text/event-stream',
      'content-type': 'application/json',
      'mcp-session-id': session,
    },
    body: JSON.stringify([{ ...call, params: { name: 'list_machines' } }, cancelled]),
  });
  expect(await response.text()).not.toContain('"result"');
});

test('cancelled calls leave no connection open', async () => {
  const round = async () => {
    const answers = Array.from({ length: 20 }, (_, id) => run('sleep 1000', id + 100));
    await eventually('all wait', async () => (await waits()) === 20);
    await Promise.all(answers.map((_, id) => cancel(id + 100)));
    await Promise.all(answers);
    await cancelRuns(used.api);
    await eventually('nothing waits', async () => (await waits()) === 0);
    return openFiles(used.sidecar.pid);
  };
  const before = await round();
  await round();
  expect(await round()).toBeLessThanOrEqual(before + 10);
});

test.each([
  ['messages', JSON.stringify(Array(2_000_000).fill(0))],
  ['objects', `[${Array(2_000_000).fill('{}').join(',')}]`],
])('millions of %s in one body delay nothing', async (_what, body) => {
  const begun = fetch(used.sidecar.url, {
    method: 'POST',
    headers: {
      accept: 'application/json, text/event-stream',
      'content-type': 'application/json',
      'mcp-session-id': session,
    },
    body,
  });
  expect((await begun).status).toBe(400);
  expect((await rpc(used.sidecar.url, { method: 'ping' }, { session })).result).toEqual({});
});
