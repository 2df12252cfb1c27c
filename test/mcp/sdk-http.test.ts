// The official SDK's client over streamable HTTP.
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ErrorCode } from '@modelcontextprotocol/sdk/types.js';
import { expect, onTestFinished, test } from 'vitest';
import { fails, useEveryTool, works } from '../support/every-tool.js';
import { call, connect, startSidecar } from '../support/mcp.js';
import { useSidecar } from '../support/use-sidecar.js';

const used = useSidecar();
const inTerminal = (id: string) => connect(used.sidecar.url, { headers: { 'X-Service-Terminal-Id': id } });

/** Starts a server that is not the service; returns its origin. */
async function startOther(answer: (response: ServerResponse) => void): Promise<string> {
  const server = createServer((_request, response) => answer(response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Connects a client to a tool server that calls the API at this URL. */
async function clientOf(apiUrl: string) {
  const sidecar = await startSidecar({ apiUrl });
  onTestFinished(() => sidecar.stop());
  return connect(sidecar.url);
}

test('the server is auto-terminal-mcp and tells a model its purpose', async () => {
  const client = await connect(used.sidecar.url);
  expect(client.getServerVersion()).toMatchObject({ name: 'auto-terminal-mcp', version: '0.1.0' });
  expect(client.getServerCapabilities()).toEqual({ tools: {} });
  expect(client.getInstructions()).toContain('execute_command');
});

test('GET {mcp_url}/health', async () => {
  const answer = await fetch(new URL('/health', used.sidecar.url));
  expect(answer.status).toBe(200);
  expect(await answer.json()).toEqual({
    ...{ status: 'ok', app: 'auto-terminal-mcp', version: '0.1.0', instanceId: null },
  });
});

test('every tool, from create to close, on a real shell', async () => {
  await useEveryTool(await connect(used.sidecar.url), used.api, inTerminal);
});

test('me: wherever a tool takes terminalId, also within an array', async () => {
  const client = await connect(used.sidecar.url);
  const { structured } = await works<{ id: string }>(client, 'create_terminal', { profile: 'bash' });
  const { id } = structured;
  const inside = await inTerminal(id);
  for (const terminalId of ['me', ['me'], ['me', id]]) {
    const ran = await works(inside, 'execute_command', { terminalId, command: 'echo mine', wait: true });
    expect(ran.structured.results).toEqual([
      expect.objectContaining({ terminalId: id, exitCode: 0, raw: 'mine\n' }),
    ]);
  }
  for (const name of ['get_terminal_output', 'get_terminal_screen']) {
    expect((await works(inside, name, { terminalId: 'me' })).structured.terminalId).toBe(id);
  }
  expect((await works(inside, 'get_terminal_detail', { terminalId: 'me' })).structured.id).toBe(id);
  expect((await works(inside, 'close_terminal', { terminalId: 'me' })).structured.terminalId).toBe(id);
});

test.each([{}, { 'X-Service-Terminal-Id': '' }, { 'X-Service-Terminal-Id': `$${'{SERVICE_TERMINAL_ID}'}` }])(
  'a caller without a terminal has no me: %o',
  async (headers) => {
    const client = await connect(used.sidecar.url, { headers: headers as Record<string, string> });
    const text = await fails(client, 'get_my_terminal');
    expect(text).toContain('X-Service-Terminal-Id');
    expect(text).toContain('list_terminals');
    for (const name of [
      'get_terminal_detail',
      'get_terminal_output',
      'get_terminal_screen',
      'close_terminal',
    ]) {
      expect(await fails(client, name, { terminalId: 'me' })).toBe(text);
    }
    expect(await fails(client, 'execute_command', { terminalId: 'me', command: 'true' })).toBe(text);
    expect(await fails(client, 'create_terminal', { connectToCaller: true })).toBe(text);
  },
);

test('an unknown terminal is the result of the tool, and says what to do', async () => {
  const client = await connect(used.sidecar.url);
  const terminalId = 'term_000000000000';
  for (const name of ['get_terminal_detail', 'get_terminal_screen', 'close_terminal']) {
    expect(await fails(client, name, { terminalId }), name).toMatch(/^Terminal not found\. .*list_terminals/);
  }
  for (const wait of [false, true]) {
    const text = await fails(client, 'execute_command', { terminalId, command: 'true', wait });
    expect(text).toMatch(/^Terminal not found\. .*list_terminals/);
  }
});

test.each([
  ['create_terminal', { colls: 80 }, /colls/],
  ['create_terminal', { cols: 'wide' }, /cols/],
  ['execute_command', { terminalId: 'term_000000000000' }, /command/],
  ['execute_command', { command: 'true', terminalId: [] }, /terminalId/],
  ['execute_command', { command: 'true' }, /terminalId.*machineId/],
  ['get_terminal_output', {}, /terminalId/],
  ['get_terminal_screen', { terminalId: 'me', format: 'gif' }, /format/],
  ['close_terminal', { terminalId: 7 }, /terminalId/],
])('wrong arguments of %s are named: %o', async (name, args, named) => {
  const client = await connect(used.sidecar.url);
  expect(await fails(client, name, args)).toMatch(named);
});

test('an unknown tool is an error of the protocol, and the session goes on', async () => {
  const client = await connect(used.sidecar.url);
  await expect(call(client, 'open_door')).rejects.toMatchObject({
    ...{ code: ErrorCode.InvalidParams, message: expect.stringContaining('Unknown tool: open_door') },
  });
  await expect(client.listPrompts()).rejects.toThrow();
  await works(client, 'list_machines');
});

test('if no service listens, each tool reports it, with the address', async () => {
  const client = await clientOf('http://127.0.0.1:1');
  for (const name of ['list_terminals', 'list_machines', 'create_terminal']) {
    const text = await fails(client, name);
    expect(text).toContain('does not answer at http://127.0.0.1:1');
    expect(text).toContain('AUTO_TERMINAL_API_URL');
  }
});

test('if another server answers, the tool reports it', async () => {
  const others: [number, string][] = [
    [200, '{"terminals": "many"}'],
    [200, '<html>Welcome</html>'],
    [200, '{}'],
    [200, 'null'],
    [204, ''],
    [302, ''],
    [404, 'nothing here'],
    [500, '{"message": "at Object.<anonymous> (index.js:1:1)"}'],
  ];
  let [status, body] = [0, ''];
  const apiUrl = await startOther((response) => response.writeHead(status).end(body));
  const client = await clientOf(apiUrl);
  const terminalId = 'term_000000000000';
  const calls: [string, object][] = [
    ...['list_terminals', 'list_machines', 'create_terminal'].map((name): [string, object] => [name, {}]),
    ...['get_terminal_output', 'get_terminal_detail', 'get_terminal_screen', 'close_terminal'].map(
      (name): [string, object] => [name, { terminalId }],
    ),
    ...[terminalId, [terminalId]].flatMap((id) =>
      [true, false].map((wait): [string, object] => [
        'execute_command',
        { terminalId: id, wait, command: 'true' },
      ]),
    ),
    ['execute_command', { machineId: 'self', command: 'true' }],
  ];
  for ([status, body] of others)
    for (const [name, args] of calls) {
      const text = await fails(client, name, { ...args });
      expect(text, `${name} ${body}`).toContain(
        `The program that answers at ${apiUrl} is not auto-terminal of this version`,
      );
    }
});

test('an image of the screen', async () => {
  const client = await connect(used.sidecar.url);
  const { structured } = await works<{ id: string }>(client, 'create_terminal', { profile: 'bash' });
  const shown = await works(client, 'get_terminal_screen', { terminalId: structured.id, format: 'png' });
  // If an answer has a structured object, clients show their model nothing else.
  expect(shown.structured).toBeUndefined();
  const image = shown.content.find(({ type }) => type === 'image');
  expect(image).toMatchObject({ mimeType: 'image/png' });
  const bytes = Buffer.from(image?.type === 'image' ? image.data : '', 'base64');
  expect(bytes.subarray(0, 8).toString('latin1')).toBe('\x89PNG\r\n\x1a\n');
  await works(client, 'close_terminal', { terminalId: structured.id });
});
