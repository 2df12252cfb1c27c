import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { FleetTerminal, UnaskedMachine } from '#dist/contract/fleet.js';
import { type FleetMachine, grant, makeHub, online, pair, startMachine } from '../support/fleet.js';
import { useTools } from '../support/mcp-tools.js';

let hub: FleetMachine;
let laptop: FleetMachine;
let desk: FleetMachine;
let terminalId: string;

beforeAll(async () => {
  [hub, laptop, desk] = await Promise.all([startMachine(), startMachine(), startMachine()]);
  await makeHub(hub);
  await pair(hub, laptop);
  await pair(hub, desk);
  await online(desk, laptop.id);
  await grant(laptop, hub, { can: ['observe', 'type', 'execute', 'close'] });
  terminalId = await open(laptop);
});
afterAll(() => Promise.all([hub, laptop, desk].map((each) => each?.service.stop())));

async function open({ api }: FleetMachine): Promise<string> {
  return (await api.post<{ id: string }>('/api/terminals', {})).body.id;
}

describe('a terminal without a machine', () => {
  test('runs a command, shows its screen and is closed where it is', async () => {
    const ran = await hub.api.post('/api/fleet/execute', { terminalId, command: 'echo on $((6*7))' });
    const machineId = laptop.id;
    expect(ran).toMatchObject({ status: 200, body: { machineId, terminalId, done: true, exitCode: 0 } });
    const screen = await hub.api.post<{ screen: string }>('/api/fleet/screen', { terminalId });
    expect(screen).toMatchObject({ status: 200, body: { machineId, terminalId } });
    expect(screen.body.screen).toContain('on 42');
    const other = await open(laptop);
    expect(await hub.api.post('/api/fleet/close', { terminalId: other })).toMatchObject({
      ...{ status: 200, body: { machineId, terminalId: other } },
    });
    expect(await hub.api.get(`/api/fleet/terminals/${terminalId}`)).toMatchObject({
      ...{ status: 200, body: { id: terminalId, machineId } },
    });
  });

  test('is this machine, if that has it', async () => {
    const own = await open(hub);
    expect(await hub.api.post('/api/fleet/screen', { terminalId: own })).toMatchObject({
      ...{ status: 200, body: { machineId: 'self' } },
    });
    await hub.api.delete(`/api/terminals/${own}`);
  });

  test('that no machine has is not found, and the answer names the machine that did not say', async () => {
    for (const path of ['execute', 'screen', 'close']) {
      const body = { terminalId: 'term_000000000000', command: 'true' };
      const answer = await hub.api.post(`/api/fleet/${path}`, body);
      expect(answer).toMatchObject({
        status: 404,
        body: { code: 'terminal-not-found', unasked: [{ machineId: desk.id, code: 'not-granted' }] },
      });
    }
  });

  test('is not looked for by a machine that was granted nothing, nor for another machine', async () => {
    expect(await desk.api.post('/api/fleet/screen', { terminalId })).toMatchObject({ status: 404 });
    await grant(hub, desk, { can: ['observe', 'execute'] });
    const onward = await desk.api.post(`/api/machines/${hub.id}/fleet/screen`, { terminalId });
    expect(onward).toMatchObject({ status: 404, body: { code: 'terminal-not-found' } });
  });
});

describe('the tools of the hub', () => {
  const tools = useTools(() => ({ apiUrl: hub.service.url }));
  const call = async <Result>(name: string, args: object = {}) =>
    (await tools.call<Result>(name, args)).structured;

  test('list the terminals of all machines', async () => {
    const listed = await call<{ terminals: FleetTerminal[]; unasked: UnaskedMachine[] }>('list_terminals');
    expect(listed.terminals).toContainEqual(
      expect.objectContaining({ id: terminalId, machineId: laptop.id, running: true }),
    );
    expect(listed.unasked).toMatchObject([{ machineId: desk.id, code: 'not-granted' }]);
  });

  test('read, see, describe, run in and close a terminal of another machine by its id alone', async () => {
    const own = await open(hub);
    const both = [own, terminalId];
    const ran = await call<{ results: object[]; summary: object }>('execute_command', {
      ...{ command: 'echo both $((6*8))', terminalId: both, wait: true },
    });
    expect(ran.results).toMatchObject(both.map((id) => ({ terminalId: id, exitCode: 0, raw: 'both 48\n' })));
    expect(ran.summary).toMatchObject({ total: 2, succeeded: 2, zero: 2, failed: 0 });
    const one = { command: 'echo one $((6*9))', terminalId, wait: true };
    expect(await call('execute_command', one)).toMatchObject({ results: [{ raw: 'one 54\n' }] });
    const typed = { command: 'echo typed', terminalId, useBracketedPaste: false, cliType: 'default' };
    expect(await call('execute_command', typed)).toMatchObject({ results: [{ success: true }] });
    const output = await call<{ raw: string }>('get_terminal_output', { terminalId });
    expect(output.raw).toContain('one 54');
    const screen = await call<{ screen: string; machineId: string }>('get_terminal_screen', {
      ...{ terminalId, format: 'ansi' },
    });
    expect(screen).toMatchObject({ machineId: laptop.id, screen: expect.stringContaining('one 54') });
    expect(await call('get_terminal_detail', { terminalId })).toMatchObject({ id: terminalId });
    expect(await call('close_terminal', { terminalId })).toMatchObject({ status: 'ok' });
    expect((await laptop.api.get(`/api/terminals/${terminalId}`)).status).toBe(404);
    expect(await tools.failure('get_terminal_detail', { terminalId })).toContain('Terminal not found');
  });
});
