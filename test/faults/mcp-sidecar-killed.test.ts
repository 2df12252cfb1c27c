import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { call, connect } from '../support/mcp.js';
import { rpc, sessionOf } from '../support/mcp-raw.js';
import { eventually, sidecarPidOf } from '../support/processes.js';
import { type Service, startService } from '../support/service.js';

let service: Service;
let url: string;
beforeEach(async () => {
  service = await startService({ mcp: true });
  url = service.mcpUrl!;
});
afterEach(() => service.stop());

/** Kills the tool server, and resolves once another one answers in its place. */
async function killSidecar(): Promise<void> {
  const before = sidecarPidOf(service.pid)!;
  process.kill(before, 'SIGKILL');
  await eventually('another tool server answers', async () => {
    const answer = await fetch(new URL('/health', url)).catch(() => undefined);
    return answer?.ok === true && sidecarPidOf(service.pid) !== before;
  });
}

describe('the tool server is killed in the middle of a session', () => {
  it('the same client goes on without initializing again', async () => {
    const client = await connect(url);
    const { structured } = await call<{ id: string }>(client, 'create_terminal', { profile: 'bash' });
    await killSidecar();
    const args = { terminalId: structured.id, command: 'echo here again', wait: true };
    expect(await call(client, 'execute_command', args)).toMatchObject({
      isError: false,
      text: expect.stringContaining('here again'),
    });
    await killSidecar();
    expect((await call(client, 'close_terminal', { terminalId: structured.id })).isError).toBe(false);
  });

  it('a client without the SDK keeps its session, and its stream opens again', async () => {
    const session = await sessionOf(url);
    await killSidecar();
    const headers = { accept: 'text/event-stream', 'mcp-session-id': session };
    const stream = await fetch(url, { headers });
    expect(stream.status).toBe(200);
    expect(stream.headers.get('mcp-session-id')).toBe(session);
    const ping = await rpc(url, { method: 'ping' }, { session });
    expect(ping).toMatchObject({ status: 200, session, result: {} });
    await stream.body?.cancel();
  });

  it('a call in progress fails at its client, and its command goes on', async () => {
    const client = await connect(url);
    const { structured } = await call<{ id: string }>(client, 'create_terminal', { profile: 'bash' });
    const args = { terminalId: structured.id, command: 'sleep 1; echo slept', wait: true };
    const failed = expect(call(client, 'execute_command', args, { timeout: 5_000 })).rejects.toThrow();
    await eventually('it is typed', async () => {
      const path = `${service.url}/api/terminals/${structured.id}/output`;
      const page = (await (await fetch(path)).json()) as { raw: string };
      return page.raw.includes('echo slept');
    });
    await killSidecar();
    await failed;
    await eventually('it has gone on', async () => {
      const { text } = await call(client, 'get_terminal_output', { terminalId: structured.id });
      return /^slept$/m.test(text);
    });
  });
});
