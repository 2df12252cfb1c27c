// The effect of each variable on a sidecar that runs alone.
import { type ChildProcess, spawn } from 'node:child_process';
import { createServer } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { CLI } from '../support/cli.js';
import { fails, works } from '../support/every-tool.js';
import { ask, patch } from '../support/exposed.js';
import { connect, connectStdio, exitOf, sidecarEnvironment, startSidecar } from '../support/mcp.js';
import { runNode } from '../support/run-process.js';
import { startService } from '../support/service.js';
import { useService } from '../support/use-service.js';

const used = useService();

async function start(env: Record<string, string>, apiUrl = used.service.url) {
  const sidecar = await startSidecar({ apiUrl, env });
  onTestFinished(() => sidecar.stop());
  return sidecar;
}

/** Runs a tool server that must not start; resolves with its standard error. */
async function refused(env: Record<string, string>, ...flags: string[]): Promise<string> {
  const { code, stdout, stderr } = await runNode([CLI, 'mcp', ...flags], {
    env: sidecarEnvironment({ env }),
  });
  expect(stdout).toBe('');
  expect(code, stderr).toBe(1);
  // The error is one line, for the user or program that started the tool server.
  expect(stderr).toMatch(/^auto-terminal-mcp: [^\n]+\n$/);
  return stderr;
}

/** A process that goes on until it is killed. */
function startParent(): ChildProcess {
  const parent = spawn(process.execPath, ['-e', 'process.stdin.resume()'], {
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  onTestFinished(() => void parent.kill('SIGKILL'));
  return parent;
}

test.each([
  ['MCP_PORT', '80'],
  ['MCP_PORT', 'any'],
  ['AUTO_TERMINAL_API_URL', 'localhost:42031'],
  ['AUTO_TERMINAL_TOKEN', 'of\ntwo lines'],
  ['AUTO_TERMINAL_API_TOKEN', 'of\ntwo lines'],
  ['AUTO_TERMINAL_INSTANCE_ID', 'of\ntwo lines'],
  ['MCP_PARENT_PID', 'init'],
  ['MCP_SESSION_IDLE_MS', 'soon'],
  ['AUTO_TERMINAL_LOG_LEVEL', 'loud'],
])('%s=%j ends it with one line that names the variable', async (name, value) => {
  expect(await refused({ [name]: value })).toContain(`auto-terminal-mcp: ${name}: `);
});

test('over stdio, too, an invalid variable is named', async () => {
  expect(await refused({ AUTO_TERMINAL_API_URL: 'here' }, '--stdio')).toContain('AUTO_TERMINAL_API_URL');
});

test('MCP_PORT: that port, or any free one for 0', async () => {
  const any = await startSidecar({ apiUrl: used.service.url });
  await any.stop();
  const { port } = new URL(any.url);
  expect((await start({ MCP_PORT: port })).url).toBe(`http://127.0.0.1:${port}/mcp`);
});

test('a taken MCP_PORT: one line that names the owner', async () => {
  const { url } = await start({});
  const { port } = new URL(url);
  expect(await refused({ MCP_PORT: port })).toContain(`port ${port} is taken by another auto-terminal-mcp`);

  const { instanceId } = (await used.api.get<{ instanceId: string }>('/health')).body;
  const api = new URL(used.service.url).port;
  expect(await refused({ MCP_PORT: api })).toContain(
    `taken by another instance of auto-terminal (${instanceId})`,
  );

  const other = createServer((socket) => socket.destroy());
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void other.close());
  const { port: others } = other.address() as { port: number };
  expect(await refused({ MCP_PORT: `${others}` })).toContain(`port ${others} is taken by another program`);
});

test('MCP_HOST: another address of the loopback needs no token', async () => {
  const sidecar = await start({ MCP_HOST: '127.0.0.3' });
  expect(new URL(sidecar.url).hostname).toBe('127.0.0.3');
  await works(await connect(sidecar.url), 'list_machines');
});

test('MCP_HOST beyond the loopback is refused without a token, and so is an invalid address', async () => {
  for (const host of ['0.0.0.0', '::', '192.0.2.7', 'no-such-host.invalid']) {
    expect(await refused({ MCP_HOST: host })).toContain(`MCP_HOST: ${host} requires AUTO_TERMINAL_TOKEN`);
  }
  const text = await refused({ MCP_HOST: '192.0.2.7', AUTO_TERMINAL_TOKEN: 'secret' });
  expect(text).toContain('MCP_HOST: "192.0.2.7" is not an address of this machine');
});

test('AUTO_TERMINAL_TOKEN, preferred to AUTO_TERMINAL_API_TOKEN, opens an exposed service', async () => {
  const service = await startService();
  onTestFinished(() => service.stop());
  const { text } = await ask(service.url, '/api/settings?reveal=true');
  const token: string = JSON.parse(text!).network.authToken;
  expect((await patch(service.url, { network: { expose: true } })).status).toBe(200);

  const closed: Record<string, string>[] = [
    {},
    { AUTO_TERMINAL_TOKEN: 'wrong', AUTO_TERMINAL_API_TOKEN: token },
  ];
  for (const env of closed) {
    const sidecar = await start(env, service.url);
    const text = await fails(await connect(sidecar.url), 'list_terminals');
    expect(text).toMatch(/^unauthorized\. .*AUTO_TERMINAL_TOKEN/);
    expect(text).not.toContain(token);
  }
  const open: Record<string, string>[] = [
    { AUTO_TERMINAL_TOKEN: token },
    { AUTO_TERMINAL_API_TOKEN: token },
    { AUTO_TERMINAL_TOKEN: token, AUTO_TERMINAL_API_TOKEN: 'wrong' },
  ];
  for (const env of open) {
    const sidecar = await start(env, service.url);
    // The tool server itself listens on the loopback, and asks for no token.
    await works(await connect(sidecar.url), 'list_terminals');
    expect(sidecar.log()).not.toContain(token);
  }
});

test('AUTO_TERMINAL_INSTANCE_ID: it talks to that instance', async () => {
  const { instanceId } = (await used.api.get<{ instanceId: string }>('/health')).body;
  const sidecar = await start({ AUTO_TERMINAL_INSTANCE_ID: instanceId });
  await works(await connect(sidecar.url), 'list_terminals');
  const health = await fetch(new URL('/health', sidecar.url)).then((answer) => answer.json());
  expect(health).toMatchObject({ app: 'auto-terminal-mcp', instanceId });
});

test('AUTO_TERMINAL_INSTANCE_ID of another: every call reports it, and nothing is done', async () => {
  const { body } = await used.api.post<{ id: string }>('/api/terminals', { profile: 'bash' });
  const { url } = await start({ AUTO_TERMINAL_INSTANCE_ID: '00000000-0000-4000-8000-000000000000' });
  const client = await connect(url, { headers: { 'X-Service-Terminal-Id': body.id } });
  const calls: [string, object][] = [
    ['list_terminals', {}],
    ['create_terminal', { profile: 'bash' }],
    ['execute_command', { command: 'echo done', terminalId: 'me', wait: true }],
    ['execute_command', { command: 'echo done', terminalId: ['me'] }],
    ['execute_command', { command: 'echo done', machineId: 'self' }],
    ['get_terminal_output', { terminalId: 'me' }],
    ['get_terminal_detail', { terminalId: 'me' }],
    ['get_my_terminal', {}],
    ['list_machines', {}],
    ['get_terminal_screen', { terminalId: 'me' }],
    ['close_terminal', { terminalId: 'me' }],
  ];
  for (const [name, args] of calls) {
    const text = await fails(client, name, { ...args });
    expect(text).toMatch(/^Another instance of the service answers here\. .*Restart the tool server/);
  }
  const { body: left } = await used.api.get<{ terminals: { id: string; status: string }[] }>(
    '/api/terminals',
  );
  expect(left.terminals.map(({ id, status }) => [id, status])).toEqual([[body.id, 'running']]);
  const { body: output } = await used.api.get<{ raw: string }>(`/api/terminals/${body.id}/output`);
  expect(output.raw).not.toContain('done');
});

test('MCP_PARENT_PID: it ends with that process', async () => {
  const parent = startParent();
  const env = { MCP_PARENT_PID: `${parent.pid}` };
  const sidecar = await start(env);
  const stdio = await connectStdio({ apiUrl: used.service.url, env });
  const closed = new Promise<void>((resolve) => {
    stdio.client.onclose = () => resolve();
  });
  await works(await connect(sidecar.url), 'list_machines');
  await works(stdio.client, 'list_machines');
  parent.kill('SIGKILL');
  await exitOf(parent);
  expect(await sidecar.ended()).toBe(0);
  await closed;
});

test('--help names each variable; an unknown flag is reported', async () => {
  const { code, stdout, stderr } = await runNode([CLI, 'mcp', '--help']);
  expect([code, stderr]).toEqual([0, '']);
  const table = ['MCP_PORT', 'MCP_HOST', 'AUTO_TERMINAL_API_URL', 'AUTO_TERMINAL_TOKEN', 'MCP_PARENT_PID'];
  for (const name of [...table, 'AUTO_TERMINAL_API_TOKEN', 'AUTO_TERMINAL_INSTANCE_ID']) {
    expect(stdout).toContain(name);
  }
  expect((await runNode([CLI, 'mcp', '--version'])).stdout).toBe('0.1.0\n');
  expect(await refused({}, '--http')).toContain('--http');
});

test('an IPC channel of another supervisor makes no difference', async () => {
  const child = spawn(process.execPath, [CLI, 'mcp'], {
    env: sidecarEnvironment({ apiUrl: used.service.url }),
    stdio: ['ignore', 'pipe', 'ignore', 'ipc'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const ready = await new Promise<string>((resolve) => {
    child.stdout!.once('data', (bytes: Buffer) => resolve(bytes.toString()));
  });
  expect(ready).toContain(`ready mcp=http://127.0.0.1:`);
});
