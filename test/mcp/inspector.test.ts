// The MCP Inspector in its CLI mode: a client written neither by us nor for the SDK's tests.
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { describe, expect, test } from 'vitest';
import { CLI } from '../support/cli.js';
import { TOOL_NAMES } from '../support/every-tool.js';
import { sidecarEnvironment } from '../support/mcp.js';
import { runNode } from '../support/run-process.js';
import { useSidecar } from '../support/use-sidecar.js';

const require = createRequire(import.meta.url);
const INSPECTOR = require.resolve('@modelcontextprotocol/inspector-cli/build/cli.js');

const used = useSidecar();

interface Result {
  isError?: boolean;
  content: { type: string; text: string }[];
  structuredContent?: Record<string, unknown>;
  tools?: { name: string }[];
}

/** Runs the Inspector; resolves with the JSON that it prints. */
async function inspect(args: string[]): Promise<Result> {
  // The Inspector looks for its own package.json in its working folder.
  const run = { env: sidecarEnvironment({}), cwd: dirname(INSPECTOR) };
  const { code, stdout, stderr } = await runNode([INSPECTOR, '--cli', ...args], run);
  expect(code, `${stdout}\n${stderr}`).toBe(0);
  return JSON.parse(stdout);
}

/** The Inspector's arguments for a question to the tool server, from a client in the terminal `me`. */
type Way = (me: string, question: string[]) => string[];

const WAYS: Record<string, Way> = {
  HTTP: (me, question) => [
    ...[used.sidecar.url, '--transport', 'http', ...question],
    ...(me === '' ? [] : ['--header', `X-Service-Terminal-Id: ${me}`]),
  ],
  stdio: (me, question) => [
    ...['-e', `AUTO_TERMINAL_API_URL=${used.service.url}`],
    ...(me === '' ? [] : ['-e', `SERVICE_TERMINAL_ID=${me}`]),
    // Flags of the server itself follow the two dashes.
    ...[process.execPath, CLI, 'mcp', ...question, '--', '--stdio'],
  ],
};

describe.each(Object.entries(WAYS))('the Inspector over %s', (name, asking) => {
  let me = '';

  async function tool(tool: string, args: Record<string, unknown> = {}): Promise<Result> {
    const pairs = Object.entries(args).map(([key, value]) => `${key}=${value}`);
    const given = pairs.flatMap((pair) => ['--tool-arg', pair]);
    const answer = await inspect(asking(me, ['--method', 'tools/call', '--tool-name', tool, ...given]));
    expect(answer.isError, JSON.stringify(answer)).not.toBe(true);
    return answer;
  }

  test('lists every tool', async () => {
    const { tools } = await inspect(asking(me, ['--method', 'tools/list']));
    expect(tools?.map(({ name }) => name)).toEqual(TOOL_NAMES);
  });

  test('uses every tool on a real shell', async () => {
    const created = await tool('create_terminal', { name: `inspected over ${name}`, profile: 'bash' });
    const terminalId = String(created.structuredContent?.id);

    const ran = await tool('execute_command', { terminalId, command: 'echo $((6*7))-answer', wait: true });
    expect(ran.structuredContent).toMatchObject({
      results: [{ terminalId, done: true, exitCode: 0, raw: expect.stringContaining('42-answer') }],
    });

    const output = await tool('get_terminal_output', { terminalId, lines: 20 });
    expect(output.structuredContent?.raw).toContain('42-answer');

    const screen = await tool('get_terminal_screen', { terminalId });
    expect(screen.structuredContent).toMatchObject({ terminalId, running: true });
    expect(screen.structuredContent?.screen).toContain('42-answer');

    const detail = await tool('get_terminal_detail', { terminalId });
    expect(detail.structuredContent).toMatchObject({ id: terminalId, size: { cols: 120, rows: 40 } });

    me = terminalId;
    const mine = await tool('get_my_terminal');
    expect(mine.structuredContent).toEqual(detail.structuredContent);

    const { structuredContent: listed } = await tool('list_terminals');
    expect(listed?.terminals).toContainEqual(expect.objectContaining({ id: terminalId, running: true }));

    const machines = await tool('list_machines');
    expect(machines.structuredContent?.machines).toContainEqual(
      expect.objectContaining({ self: true, online: true }),
    );

    await tool('close_terminal', { terminalId: 'me' });
    expect((await used.api.get(`/api/terminals/${terminalId}`)).status).toBe(404);
  });
});
