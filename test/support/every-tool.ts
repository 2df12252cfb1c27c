import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { expect } from 'vitest';
import type { Api } from './http.js';
import { call, type ToolAnswer } from './mcp.js';

/** The tools, in the order in which the server lists them. */
export const TOOL_NAMES = [
  ...['list_terminals', 'create_terminal', 'execute_command', 'get_terminal_output', 'get_terminal_detail'],
  ...['get_my_terminal', 'close_terminal', 'list_machines', 'get_terminal_screen'],
];

/** Text that a model must never see: a stack, a path of the program, the name of a class. */
const INTERNALS = /^\s+at |node:internal|\.[jt]s\b|node_modules|\w+Error:|\[object Object\]/m;

/** Makes a call that must succeed; resolves with its answer. */
export async function works<Structured = Record<string, unknown>>(
  client: Client,
  name: string,
  args: Record<string, unknown> = {},
): Promise<ToolAnswer<Structured>> {
  const answer = await call<Structured>(client, name, args);
  expect(answer.isError, `${name}: ${answer.text}`).toBe(false);
  expect(answer.text).not.toBe('');
  return answer;
}

/** Makes a call that must fail as a tool, not as a protocol; resolves with its text. */
export async function fails(
  client: Client,
  name: string,
  args: Record<string, unknown> = {},
): Promise<string> {
  const { isError, text, structured } = await call(client, name, args);
  expect(isError, `${name}: ${text}`).toBe(true);
  expect(structured).toBeUndefined();
  expect(text).not.toMatch(INTERNALS);
  return text;
}

/**
 * Uses all nine tools as an agent does, on a real shell. The SDK's client itself checks each
 * `structuredContent` against the listed schema.
 *
 * @param asTerminal - makes another client, which runs in the terminal of this id
 */
export async function useEveryTool(
  client: Client,
  api: Api,
  asTerminal: (id: string) => Promise<Client>,
): Promise<void> {
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name)).toEqual(TOOL_NAMES);

  const created = await works<{ id: string; mode: string }>(client, 'create_terminal', {
    ...{ name: 'by the SDK', profile: 'bash', cols: 100, rows: 30, cwd: '/' },
  });
  const { id: terminalId, mode } = created.structured;
  expect(mode).toBe('mcp');
  expect(created.text).toContain(terminalId);

  const ran = await works(client, 'execute_command', {
    ...{ terminalId, command: 'pwd; echo $((6*7))-answer; (exit 3)', wait: true, cliType: 'default' },
  });
  expect(ran.structured).toMatchObject({
    results: [{ terminalId, success: true, done: true, exitCode: 3, raw: '/\n42-answer\n' }],
  });
  expect(ran.text).toContain('42-answer');

  const output = await works<{ raw: string; cursor: string }>(client, 'get_terminal_output', { terminalId });
  expect(output.structured.raw.split('\n')).toContain('42-answer');
  expect(output.text).toContain('42-answer');

  const shown = await works<{ screen: string }>(client, 'get_terminal_screen', { terminalId });
  expect(shown.structured).toMatchObject({ terminalId, title: 'by the SDK', running: true });
  expect(shown.structured.screen.split('\n')[0]).toContain('pwd; echo');
  expect(shown.text).toContain(shown.structured.screen);

  const detail = await works(client, 'get_terminal_detail', { terminalId });
  expect(detail.structured).toMatchObject({
    ...{ id: terminalId, tabId: expect.any(String), size: { cols: 100, rows: 30 } },
  });

  const listed = await works<{ terminals: object[] }>(client, 'list_terminals');
  expect(listed.structured.terminals).toContainEqual(
    expect.objectContaining({ id: terminalId, title: 'by the SDK', running: true, machineId: 'self' }),
  );

  const machines = await works<{ machines: object[] }>(client, 'list_machines');
  expect(machines.structured.machines).toEqual([
    expect.objectContaining({ machineId: 'self', self: true, online: true }),
  ]);

  const inside = await asTerminal(terminalId);
  await inside.listTools();
  const mine = await works(inside, 'get_my_terminal');
  expect(mine.structured).toEqual(detail.structured);
  const child = await works<{ id: string; parentTerminalId: string }>(inside, 'create_terminal', {
    ...{ connectToCaller: true, profile: 'bash' },
  });
  expect(child.structured.parentTerminalId).toBe(terminalId);
  await works(client, 'close_terminal', { terminalId: child.structured.id });
  await works(inside, 'close_terminal', { terminalId: 'me' });
  for (const id of [terminalId, child.structured.id]) {
    expect((await api.get(`/api/terminals/${id}`)).status).toBe(404);
  }
}
