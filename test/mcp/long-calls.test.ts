import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { call, connect, type Sidecar, startSidecar } from '../support/mcp.js';
import { rpc, sessionOf } from '../support/mcp-raw.js';
import { eventually } from '../support/processes.js';
import { cancelRuns } from '../support/runs.js';
import { useService } from '../support/use-service.js';

const used = useService();
let sidecar: Sidecar;
let id: string;
beforeAll(async () => {
  sidecar = await startSidecar({ apiUrl: used.service.url });
});
beforeEach(async () => {
  const { body } = await used.api.post<{ id: string }>('/api/terminals', { command: ['bash'] });
  id = body.id;
});
afterEach(async () => {
  await cancelRuns(used.api);
  await eventually('nothing waits', async () => (await waits()) === 0);
});
afterAll(() => sidecar.stop());

/** Number of requests that wait in the service. */
async function waits(): Promise<number> {
  const { body } = await used.api.get<string>('/metrics');
  return Number(/^auto_terminal_waits(?:\{[^}]*\})? (\d+)$/m.exec(body)?.[1]);
}

async function commands(): Promise<object[]> {
  const { body } = await used.api.get<{ commands: object[] }>(`/api/terminals/${id}/commands`);
  return body.commands;
}

const forever = () => ({
  method: 'tools/call',
  params: { name: 'execute_command', arguments: { terminalId: id, command: 'sleep 1000', wait: true } },
});

describe('a tool call that takes long', () => {
  it('sends progress to a client that asked for it, and answers', async () => {
    const client = await connect(sidecar.url);
    const told: number[] = [];
    const args = { terminalId: id, command: 'sleep 6; echo rested', wait: true };
    const answer = await call(client, 'execute_command', args, {
      onprogress: ({ progress }) => told.push(progress),
    });
    expect(answer.text).toContain('rested');
    expect(told.length).toBeGreaterThan(0);
  });

  it('ends once its client cancels it, and its run goes on', async () => {
    const client = await connect(sidecar.url);
    const leave = new AbortController();
    const args = { terminalId: id, command: 'sleep 1000', wait: true };
    const answer = call(client, 'execute_command', args, { signal: leave.signal });
    const rejected = expect(answer).rejects.toThrow();
    await eventually('it runs', async () => (await commands()).length === 1);
    leave.abort();
    await rejected;
    // The typed command goes on in its terminal, and so does its run.
    expect((await commands())[0]).toMatchObject({ commandLine: 'sleep 1000', endedAt: null });
    expect(await waits()).toBe(1);
  });

  it('ends once the connection for its answer closes', async () => {
    const session = await sessionOf(sidecar.url);
    const leave = new AbortController();
    const left = rpc(sidecar.url, forever(), { session, signal: leave.signal }).catch(() => 'left');
    await eventually('it waits', async () => (await waits()) === 1);
    leave.abort();
    expect(await left).toBe('left');
    expect((await rpc(sidecar.url, { method: 'ping' }, { session })).result).toEqual({});
  });

  it('ends once its session is deleted', async () => {
    const session = await sessionOf(sidecar.url);
    const answer = rpc(sidecar.url, forever(), { session });
    await eventually('it waits', async () => (await waits()) === 1);
    await rpc(sidecar.url, undefined, { session, method: 'DELETE' });
    expect((await answer).messages).toEqual([]);
  });

  it('delays no other call of its session', async () => {
    const session = await sessionOf(sidecar.url);
    const leave = new AbortController();
    const left = rpc(sidecar.url, { ...forever(), id: 7 }, { session, signal: leave.signal }).catch(
      () => 'left',
    );
    await eventually('it waits', async () => (await waits()) === 1);
    const list = { method: 'tools/call', params: { name: 'list_terminals' }, id: 8 };
    expect((await rpc(sidecar.url, list, { session })).id).toBe(8);
    leave.abort();
    await left;
  });
});
