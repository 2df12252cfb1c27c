// `auto-terminal mcp --stdio`, for clients that only support stdio.
import { expect, test } from 'vitest';
import { fails, useEveryTool, works } from '../support/every-tool.js';
import { call, connectStdio } from '../support/mcp.js';
import { eventually, processInfo } from '../support/processes.js';
import { INITIALIZE, INITIALIZED, type Message, startStdio, toolCall } from '../support/stdio-server.js';
import { useService } from '../support/use-service.js';

const used = useService();
const connect = async (env: Record<string, string> = {}) =>
  (await connectStdio({ apiUrl: used.service.url, env })).client;
const start = (env: Record<string, string> = {}) => startStdio({ apiUrl: used.service.url, env });

const LIST_TOOLS = { jsonrpc: '2.0', id: 2, method: 'tools/list' };

/** A call that lasts as long as its test. */
async function longCall(id: number): Promise<object> {
  const { body } = await used.api.post<{ id: string }>('/api/terminals', { profile: 'bash' });
  const args = { terminalId: body.id, command: 'sleep 600', wait: true, timeoutMs: 600_000 };
  return toolCall(id, 'execute_command', args);
}

/** Resolves once the call's command runs. */
async function isUnderWay(request: object): Promise<void> {
  const { terminalId } = (request as { params: { arguments: { terminalId: string } } }).params.arguments;
  await eventually('the command runs', async () => {
    const { body } = await used.api.get<{ raw: string }>(`/api/terminals/${terminalId}/output`);
    return body.raw.includes('sleep 600');
  });
}

test('every tool, from create to close, on a real shell', async () => {
  const client = await connect();
  expect(client.getServerVersion()).toMatchObject({ name: 'auto-terminal-mcp', version: '0.1.0' });
  await useEveryTool(client, used.api, (id) => connect({ SERVICE_TERMINAL_ID: id }));
});

test('failures are results of the tool, an unknown tool is an error of the protocol', async () => {
  const client = await connect();
  expect(await fails(client, 'get_my_terminal')).toContain('SERVICE_TERMINAL_ID');
  expect(await fails(client, 'close_terminal', { terminalId: 'term_000000000000' })).toMatch(
    /^Terminal not found\./,
  );
  expect(await fails(client, 'execute_command')).toContain('command');
  await expect(call(client, 'open_door')).rejects.toThrow('Unknown tool: open_door');
  await works(client, 'list_machines');
});

test('three requests at once and the end of the input: three answers, nothing else, exit code 0', async () => {
  const server = start();
  server.send(INITIALIZE, INITIALIZED, LIST_TOOLS, toolCall(3, 'list_terminals'));
  server.child.stdin.end();
  expect(await server.ended()).toBe(0);
  const messages = server.messages();
  expect(messages.map(({ id }) => id).sort()).toEqual([1, 2, 3]);
  expect(messages.every(({ error, result }) => error === undefined && !result?.isError)).toBe(true);
  expect(server.log()).not.toMatch(/"level":(50|60)/);
});

test('each request of a batch is answered, also of a batch that ends with the input', async () => {
  const server = start();
  const older = { ...INITIALIZE, params: { ...INITIALIZE.params, protocolVersion: '2025-03-26' } };
  server.send(older);
  const ping = (id: number) => ({ jsonrpc: '2.0', id, method: 'ping' });
  server.send([INITIALIZED, LIST_TOOLS, ping(3)], [], '[not JSON', ping(4), [[ping(5)], ping(6)]);
  for (const id of [2, 3, 4, 6]) expect((await server.answer(id)).error).toBeUndefined();
  server.send([toolCall(7, 'list_machines')]);
  server.child.stdin.end();
  expect(await server.ended()).toBe(0);
  const ids = server.messages().map(({ id }) => id as number);
  expect(ids.sort((a, b) => a - b)).toEqual([1, 2, 3, 4, 6, 7]);
});

test('an invalid message is skipped, and the session goes on', async () => {
  const server = start();
  server.send('hello?', '{"jsonrpc": "2.0", "id": 7', '[]', '{}', '', INITIALIZE, INITIALIZED);
  expect((await server.answer(1)).result).toMatchObject({ serverInfo: { name: 'auto-terminal-mcp' } });
  server.send('\u0000\u0001', { jsonrpc: '2.0', id: 8, method: 'no/such/method' }, LIST_TOOLS);
  expect((await server.answer(8)).error).toMatchObject({ code: -32_601 });
  expect((await server.answer(2)).result?.tools).toHaveLength(9);
  server.child.stdin.end();
  expect(await server.ended()).toBe(0);
});

test('a log line for each level goes to stderr, stdout has only the protocol', async () => {
  const server = start({ AUTO_TERMINAL_LOG_LEVEL: 'trace' });
  server.send('no message', INITIALIZE, INITIALIZED, toolCall(3, 'list_terminals'));
  await server.answer(3);
  server.child.stdin.end();
  expect(await server.ended()).toBe(0);
  // `messages` throws if a line is no message.
  expect(server.messages()).toHaveLength(2);
});

test('the end of the input ends it although a call goes on', async () => {
  const server = start();
  const request = await longCall(3);
  server.send(INITIALIZE, INITIALIZED, request);
  await isUnderWay(request);
  server.child.stdin.end();
  expect(await server.ended()).toBe(0);
  expect(server.messages().map(({ id }) => id)).toEqual([1]);
});

test('a line too long for a message ends it, and the log says why', async () => {
  const server = start();
  server.send(INITIALIZE);
  await server.answer(1);
  server.send('x'.repeat(11 * 1024 * 1024));
  expect(await server.ended()).toBe(1);
  expect(server.log()).toContain('a message was too long');
});

test('a client that dies leaves no process', async () => {
  const server = start();
  const request = await longCall(3);
  server.send(INITIALIZE, INITIALIZED, request);
  await isUnderWay(request);
  server.child.stdin.destroy();
  server.child.stdout.destroy();
  server.child.stderr.destroy();
  await eventually('the tool server has ended', () => processInfo(server.child.pid!) === undefined);
  expect(server.child.signalCode).toBeNull();
});

test('a client that stops reading: the answer is lost, and the process ends', async () => {
  const server = start();
  server.send(INITIALIZE, INITIALIZED);
  await server.answer(1);
  server.child.stdout.destroy();
  server.send(LIST_TOOLS);
  await eventually('the tool server has ended', () => server.child.exitCode !== null);
  expect(server.child.exitCode).toBe(0);
});

test.each(['SIGTERM', 'SIGINT'] as const)('%s ends it with exit code 0', async (signal) => {
  const server = start();
  const request = await longCall(3);
  server.send(INITIALIZE, INITIALIZED, request);
  await isUnderWay(request);
  server.child.kill(signal);
  expect(await server.ended()).toBe(0);
});

test('a cancelled call is not answered, and the process still ends with its input', async () => {
  const server = start();
  const request = await longCall(3);
  server.send(INITIALIZE, INITIALIZED, request);
  await isUnderWay(request);
  server.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 3 } }, LIST_TOOLS);
  await server.answer(2);
  server.child.stdin.end();
  expect(await server.ended()).toBe(0);
  expect(server.messages().map(({ id }: Message) => id)).toEqual([1, 2]);
});
