import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { SettingsAnswer } from '#dist/contract/settings.js';
import { freePort } from '../support/free-port.js';
import { createApi, type Failure } from '../support/http.js';
import { limitProcess } from '../support/limit-process.js';
import { type RawAnswer, rpc, sessionOf } from '../support/mcp-raw.js';
import { eventually, findHost, processInfo, sidecarPidOf } from '../support/processes.js';
import { type Service, startService } from '../support/service.js';

/** The tool server of a service, which must have one. */
function sidecarOf({ pid }: Service): number {
  const sidecar = sidecarPidOf(pid);
  if (sidecar === undefined) throw new Error('the service has no tool server');
  return sidecar;
}

async function metric({ url }: Service, name: string): Promise<number> {
  const { body } = await createApi(url).get<string>('/metrics');
  return Number(new RegExp(`^auto_terminal_${name} (\\d+)$`, 'm').exec(body)?.[1]);
}

/** Kills the tool server; resolves once another one listens. */
async function replace(service: Service): Promise<void> {
  const [before, restarts] = [sidecarOf(service), await metric(service, 'mcp_restarts_total')];
  process.kill(before, 'SIGKILL');
  await eventually('another one listens', async () => {
    const now = await metric(service, 'mcp_restarts_total');
    return now === restarts + 1 && (await metric(service, 'mcp_up')) === 1;
  });
}

/** The test's own server on the port, as soon as the owner releases the port. */
async function bound(port: number): Promise<Server> {
  const server = createServer();
  await eventually('the port is ours', async () => {
    server.listen(port, '127.0.0.1');
    return once(server, 'listening').then(
      () => true,
      () => false,
    );
  });
  return server;
}

const LIST = { method: 'tools/call', params: { name: 'list_terminals', arguments: {} } };
const EMPTY = { structuredContent: { terminals: [] } };

/** A call that goes on until something ends it. */
async function longCall(service: Service): Promise<{ answer: Promise<RawAnswer> }> {
  const { body } = await createApi(service.url).post<{ id: string }>('/api/terminals', { command: ['sh'] });
  const session = await sessionOf(service.mcpUrl!);
  const args = { terminalId: body.id, command: 'sleep 1000', wait: true, timeoutMs: 3_600_000 };
  const message = { method: 'tools/call', params: { name: 'execute_command', arguments: args } };
  const answer = rpc(service.mcpUrl!, message, { session });
  await eventually('it waits', async () => (await metric(service, 'waits')) === 1);
  return { answer };
}

describe('a tool server that is killed', () => {
  it('is started again on its port; the same client goes on', async () => {
    const service = await startService({ mcp: true });
    const session = await sessionOf(service.mcpUrl!);
    await replace(service);
    expect((await rpc(service.mcpUrl!, LIST, { session })).result).toMatchObject(EMPTY);
    expect(service.log()).toContain('the tool server has ended; it is started again');
    await service.stop();
  });

  it('is started again on its port once another server, which has it meanwhile, releases it', async () => {
    const service = await startService({ mcp: true });
    const session = await sessionOf(service.mcpUrl!);
    const port = Number(new URL(service.mcpUrl!).port);
    const sidecar = sidecarOf(service);
    process.kill(sidecar, 'SIGKILL');
    const thief = await bound(port);
    await eventually('it waits', () => service.log().includes('the tool server waits for its port'));
    const waiting = sidecarOf(service);
    expect([waiting === sidecar, await metric(service, 'mcp_up')]).toEqual([false, 0]);
    // Settings can be changed meanwhile; the token can be rotated, too.
    const api = createApi(service.url);
    expect((await api.post('/api/settings/token/rotate')).status).toBe(200);
    expect((await api.get<SettingsAnswer>('/api/settings')).body.mcp.port).toBe(port);
    thief.close();
    await eventually('it listens', async () => (await metric(service, 'mcp_up')) === 1);
    expect([sidecarOf(service), await metric(service, 'mcp_restarts_total')]).toEqual([waiting, 1]);
    expect((await rpc(service.mcpUrl!, LIST, { session })).result).toMatchObject(EMPTY);
    await service.stop();
  });

  it('while the service is out of descriptors is started again when there are some', async () => {
    const service = await startService({ mcp: true });
    limitProcess(service.pid, '--nofile=12:4096');
    process.kill(sidecarOf(service), 'SIGKILL');
    await eventually('one could not be started', () => service.log().includes('EMFILE'));
    limitProcess(service.pid, '--nofile=4096:4096');
    await eventually('it listens', async () => (await metric(service, 'mcp_up')) === 1);
    expect(await sessionOf(service.mcpUrl!)).toBeTypeOf('string');
    await service.stop();
  });

  it('over and over is given up; the service lives, and a change of the settings tries again', async () => {
    const service = await startService({ mcp: true });
    for (let time = 1; time <= 5; time++) await replace(service);
    process.kill(sidecarOf(service), 'SIGKILL');
    await eventually('it is given up', () => service.log().includes('the service continues without it'));
    expect([sidecarPidOf(service.pid), await metric(service, 'mcp_up')]).toEqual([undefined, 0]);
    const api = createApi(service.url);
    expect((await api.get('/api/terminals')).status).toBe(200);
    await api.patch('/api/settings', { terminals: { scrollback: 10 } });
    expect(sidecarPidOf(service.pid)).toBeUndefined();
    expect((await api.patch('/api/settings', { mcp: { sessionIdleMs: 5_000 } })).status).toBe(200);
    expect(await metric(service, 'mcp_up')).toBe(1);
    expect(await sessionOf(service.mcpUrl!)).toBeTypeOf('string');
    await service.stop();
  });
});

describe('the end of the service', () => {
  it('by SIGKILL ends its tool server, too', async () => {
    const service = await startService({ mcp: true });
    const [sidecar, { answer }] = [sidecarOf(service), await longCall(service)];
    const broken = answer.catch(() => 'broken off');
    await service.kill('SIGKILL');
    await eventually('the tool server is gone', () => processInfo(sidecar) === undefined);
    await broken;
    const next = await startService({ mcp: true, home: service.home });
    expect(await sessionOf(next.mcpUrl!)).toBeTypeOf('string');
    await next.stop();
  });

  it.each(['SIGTERM', 'SIGINT'] as const)(
    'by %s: a call in progress gets the reason, and no process is left',
    async (signal) => {
      const service = await startService({ mcp: true });
      const [sidecar, { answer }] = [sidecarOf(service), await longCall(service)];
      expect(await service.kill(signal)).toBe(0);
      expect(processInfo(sidecar)).toBeUndefined();
      const { result } = await answer;
      expect(result).toMatchObject({
        isError: true,
        content: [{ type: 'text', text: expect.stringContaining('Service is shutting down') }],
      });
      expect(service.log()).not.toMatch(/"level":(50|60)|the tool server/);
      rmSync(service.home, { recursive: true });
    },
  );

  it('by Ctrl+C, which reaches all of its processes, is the same as by SIGINT alone', async () => {
    const service = await startService({ mcp: true });
    const sidecar = sidecarOf(service);
    process.kill(sidecar, 'SIGINT');
    expect(await service.kill('SIGINT')).toBe(0);
    expect(processInfo(sidecar)).toBeUndefined();
    expect(service.log()).not.toMatch(/"level":(40|50|60)/);
    rmSync(service.home, { recursive: true });
  });
});

describe('a taken MCP port at the start', () => {
  it('names the instance that has it, ends with 1, and has started nothing', async () => {
    const first = await startService({ mcp: true });
    const { body } = await createApi(first.url).get<{ instanceId: string }>('/health');
    const { port } = new URL(first.mcpUrl!);
    const second = startService({ mcp: true, args: ['--mcp-port', port] });
    await expect(second).rejects.toThrow(
      `auto-terminal: port ${port} is taken by another instance of auto-terminal (${body.instanceId}). `,
    );
    await expect(second).rejects.not.toThrow('level');
    // The instance that has it is unaffected.
    expect((await createApi(first.url).get<Failure>('/api/terminals')).status).toBe(200);
    expect(await sessionOf(first.mcpUrl!)).toBeTypeOf('string');
    await first.stop();
  });

  it('by a simultaneous start: the slower one reports it in a line, and leaves no pty host', async () => {
    const port = String(await freePort());
    const homes = await Promise.all([1, 2].map(() => mkdtemp(join(tmpdir(), 'at-two-'))));
    const outcomes = await Promise.allSettled(
      homes.map((home) => startService({ mcp: true, home, args: ['--mcp-port', port] })),
    );
    const [winner] = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []));
    const [loser] = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []));
    // The check for a free port also takes the port for a moment; a service that meets the check can name no owner.
    const owner = '(instance of auto-terminal \\([0-9a-f-]{36}\\)|program)';
    expect(loser.message).toMatch(
      new RegExp(`^auto-terminal: port ${port} is taken by another ${owner}\\. .*--port`, 'm'),
    );
    expect(loser.message).not.toMatch(/"level":(40|50|60)/);
    const lost = homes.find((home) => home !== winner!.home)!;
    expect(findHost(lost)).toBeUndefined();
    expect(await sessionOf(winner!.mcpUrl!)).toBeTypeOf('string');
    await winner!.stop();
    await rm(lost, { recursive: true });
  });

  it('does not matter while the tool server is off', async () => {
    const first = await startService({ mcp: true });
    const second = await startService({ args: ['--mcp-port', new URL(first.mcpUrl!).port] });
    expect((await createApi(second.url).get('/api/terminals')).status).toBe(200);
    await Promise.all([first.stop(), second.stop()]);
  });
});
