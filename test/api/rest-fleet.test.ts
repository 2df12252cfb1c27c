import { writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { FleetExecution, FleetScreen, FleetTerminal, Machine } from '#dist/contract/fleet.js';
import type { Terminal } from '#dist/contract/terminal.js';
import { postAndDrop } from '../support/dropped-post.js';
import { failed } from '../support/failed.js';
import { createApi, type Failure, type Watcher, watch } from '../support/http.js';
import { openTerminal } from '../support/runs.js';
import { useService } from '../support/use-service.js';

const used = useService({ env: { SHELL: '/bin/bash' } });
let events: Watcher;
beforeAll(async () => {
  events = await watch(used.service.url, 'events=lifecycle');
});
afterAll(() => events?.close());

const OS = process.platform === 'darwin' ? 'macos' : 'linux';
const OTHER_OS = OS === 'linux' ? 'macos' : 'linux';
const SELF: Machine = { machineId: 'self', deviceName: hostname(), os: OS, online: true, self: true };
const NO_PEERING = { status: 501, body: failed('peering not installed') };
const NO_MATCH = { error: 'no match', code: 'no-match', fix: expect.any(String) };
const NOT_FOUND = { status: 404, body: failed('Terminal not found') };

const execute = (body: object) => used.api.post<FleetExecution>('/api/fleet/execute', body);
const screenOf = (body: object) => used.api.post<FleetScreen>('/api/fleet/screen', body);
const close = (body: object) => used.api.post<Failure>('/api/fleet/close', body);
const get = (id: string) => used.api.get<Terminal>(`/api/terminals/${id}`);

/** Terminal ids of the lifecycle events of this type so far. */
const told = (type: string) =>
  events.frames.flatMap(({ event }) => (event?.type === type ? [event.terminalId] : []));

describe('fleet/machines', () => {
  it('always includes self, and without peering nothing else', async () => {
    expect(await used.api.get('/api/fleet/machines')).toMatchObject({
      status: 200,
      body: { machines: [SELF] },
    });
  });
});

describe('fleet/terminals', () => {
  it('local terminals have machineId self; exited ones are left out', async () => {
    const id = await openTerminal(used.api, ['cat'], { name: 'a cat' });
    const exited = await openTerminal(used.api, ['true']);
    await used.api.post(`/api/terminals/${exited}/wait`, { until: 'exit' });
    const { body } = await used.api.get<{ terminals: FleetTerminal[] }>('/api/fleet/terminals');
    const here = { machineId: 'self', os: OS, deviceName: hostname() };
    expect(body.terminals).toContainEqual({ id, title: 'a cat', running: true, ...here });
    expect(body.terminals.map((terminal) => terminal.id)).not.toContain(exited);
  });
});

describe('fleet/execute in a terminal', () => {
  it('waits for the command: exitCode and screen', async () => {
    for (const command of [['bash'], ['dash']]) {
      const terminalId = await openTerminal(used.api, command);
      const { status, body } = await execute({
        terminalId,
        command: 'sleep 0.1; echo "sum $((6 * 7))"; (exit 3)',
      });
      expect(status).toBe(200);
      expect(body).toEqual({
        ...{ machineId: 'self', terminalId, deviceName: hostname(), done: true, exitCode: 3 },
        ...{ screen: expect.stringMatching(/sum 42$/m), runId: expect.any(String) },
      });
      expect((await get(terminalId)).body.status).toBe('running');
      const { body: listed } = await used.api.get<{ processes: { id: string; lastInputSource: string }[] }>(
        '/api/processes',
      );
      expect(listed.processes.find(({ id }) => id === terminalId)?.lastInputSource).toBe('fleet');
    }
  });

  it('which the command ends: done, with its exit code; then it is not found', async () => {
    const terminalId = await openTerminal(used.api, ['bash']);
    const { body } = await execute({ terminalId, command: 'echo bye; exit 5' });
    expect(body).toMatchObject({ done: true, exitCode: 5, screen: expect.stringContaining('\nbye') });
    expect(await execute({ terminalId, command: 'true' })).toMatchObject(NOT_FOUND);
  });

  it('which the command ends, and which is not kept: the result is returned all the same', async () => {
    const keep = (keepExitedMs: number) => used.api.patch('/api/settings', { terminals: { keepExitedMs } });
    onTestFinished(async () => void (await keep(600_000)));
    await keep(0);
    const terminalId = await openTerminal(used.api, ['bash']);
    expect(await execute({ terminalId, command: 'exit 5' })).toMatchObject({
      ...{ status: 200, body: { terminalId, done: true, exitCode: 5 } },
    });
  });

  it('until timeoutMs, clamped to 1000 at least: done false, and the command goes on', async () => {
    const terminalId = await openTerminal(used.api, ['bash']);
    await execute({ terminalId, command: 'true' });
    const command = 'echo begun; until [ -e ~/go ]; do sleep 0.02; done; exit 4';
    const { body } = await execute({ terminalId, command, timeoutMs: -5 });
    expect(body).toMatchObject({ done: false, exitCode: null, screen: expect.stringContaining('\nbegun') });
    await writeFile(join(used.service.home, 'go'), '');
    const exited = await used.api.post(`/api/terminals/${terminalId}/wait`, { until: 'exit' });
    expect(exited.body).toMatchObject({ done: true, exitCode: 4 });
  });

  it('takes any number as timeoutMs, and nothing else', async () => {
    for (const timeoutMs of [0, 1.5, 1e15]) {
      const { status, body } = await execute({ command: 'true', timeoutMs });
      // The shortest timeout may end before the shell has started.
      expect([status, body.exitCode]).toEqual([200, body.done || timeoutMs > 2 ? 0 : null]);
    }
    for (const timeoutMs of ['1000', null, {}])
      expect(await execute({ command: 'true', timeoutMs })).toMatchObject({ status: 400 });
  });

  it.each([{}, { command: '' }, { command: 5 }, { command: 'x', targetOS: 'beos' }])(
    '%j is a 400',
    async (body) => {
      expect((await execute(body)).status).toBe(400);
    },
  );
});

describe('fleet/execute without terminalId', () => {
  it('runs in a fresh terminal of the default profile, which is closed afterwards', async () => {
    const { status, body } = await execute({ command: 'echo "in $0 $COLUMNS"; false' });
    const { terminalId, screen } = body;
    expect([status, body.done, body.exitCode, screen]).toEqual([
      200,
      true,
      1,
      expect.stringMatching(/^in .*bash 80$/m),
    ]);
    expect(await get(terminalId)).toMatchObject(NOT_FOUND);
    await events.until(() => told('terminal.removed').includes(terminalId));
    const created = events.frames.find(
      ({ event }) => event?.type === 'terminal.created' && event.terminalId === terminalId,
    );
    expect(created?.event?.data).toMatchObject({ mode: 'fleet' });
  });

  it('closes it also if the command has ended it', async () => {
    const { body } = await execute({ command: 'exit 3' });
    expect(body).toMatchObject({ done: true, exitCode: 3 });
    expect(await get(body.terminalId)).toMatchObject(NOT_FOUND);
  });

  it('leaves it when the time is over', async () => {
    const { body } = await execute({ command: 'echo begun; sleep 600', timeoutMs: 1_000 });
    expect(body).toMatchObject({ done: false, exitCode: null });
    expect((await get(body.terminalId)).body).toMatchObject({ status: 'running', mode: 'fleet' });
    expect((await close({ terminalId: body.terminalId })).status).toBe(200);
  });

  it('closes it though its client has left', async () => {
    const path = '/api/fleet/execute';
    const before = told('terminal.created').length;
    const until = () => events.until(() => told('terminal.created').length > before);
    await postAndDrop(used.service.url, { path, body: { command: 'sleep 0.1' }, until });
    const id = told('terminal.created').at(-1)!;
    await events.until(() => told('terminal.removed').includes(id));
  });

  it('runs once, however often it is requested with an Idempotency-Key', async () => {
    const path = '/api/fleet/execute';
    const body = { command: 'echo x >> ~/ran; wc -l < ~/ran' };
    const before = told('terminal.created').length;
    const until = () => events.until(() => told('terminal.created').length > before);
    await postAndDrop(used.service.url, { path, key: 'fleet', body, until });
    const keyed = createApi(used.service.url, { headers: { 'idempotency-key': 'fleet' } });
    const [first, second] = await Promise.all([0, 1].map(() => keyed.post<FleetExecution>(path, body)));
    expect(first!.body).toMatchObject({ done: true, exitCode: 0, screen: expect.stringMatching(/^1$/m) });
    expect(second!.body).toEqual(first!.body);
    expect(told('terminal.created').length - before).toBe(1);
  });
});

describe('the target of fleet/execute', () => {
  const command = 'true';
  const DONE = { status: 200, body: { machineId: 'self', done: true, exitCode: 0 } };

  it('targetOS: this machine if it is the only online one with that system', async () => {
    expect(await execute({ command, targetOS: OS })).toMatchObject(DONE);
  });

  it.each([OTHER_OS, 'windows'])('targetOS %s: 404 no match, with the machines', async (targetOS) => {
    const answer = await execute({ command, targetOS });
    expect([answer.status, answer.body]).toEqual([404, { ...NO_MATCH, machines: [SELF] }]);
  });

  it('machineId: 501 for any but self', async () => {
    expect(await execute({ command, machineId: 'self' })).toMatchObject(DONE);
    expect(await execute({ command, machineId: 'other' })).toMatchObject(NO_PEERING);
  });

  it('terminalId, then machineId, then targetOS, then local', async () => {
    const terminalId = await openTerminal(used.api, ['bash']);
    const here = { ...DONE, body: { ...DONE.body, terminalId } };
    expect(await execute({ command, terminalId, machineId: 'other', targetOS: 'windows' })).toMatchObject(
      here,
    );
    expect(await execute({ command, machineId: 'self', targetOS: 'windows' })).toMatchObject(DONE);
    expect(await execute({ command, machineId: 'other', targetOS: OS })).toMatchObject(NO_PEERING);
    const unknown = { command, terminalId: 'term_unknown' };
    expect(await execute(unknown)).toMatchObject(NOT_FOUND);
    expect(await execute({ ...unknown, machineId: 'self', targetOS: OS })).toMatchObject(NOT_FOUND);
    expect(await execute({ ...unknown, machineId: 'other' })).toMatchObject(NO_PEERING);
  });
});

describe('fleet/screen', () => {
  it('shows the text of a running and of an exited terminal', async () => {
    const terminalId = await openTerminal(used.api, ['sh', '-c', 'printf "one\\n\\n  two\\n"; read x'], {
      name: 'T',
    });
    await events.untilOutput(terminalId, 'two\r\n');
    const shown = { machineId: 'self', terminalId, title: 'T', screen: 'one\n\n  two' };
    expect((await screenOf({ terminalId })).body).toEqual({ ...shown, running: true });
    expect((await screenOf({ terminalId, machineId: 'self' })).body).toEqual({ ...shown, running: true });
    await used.api.post(`/api/terminals/${terminalId}/keys`, { keys: ['ctrl+d'] });
    await used.api.post(`/api/terminals/${terminalId}/wait`, { until: 'exit' });
    expect((await screenOf({ terminalId })).body).toEqual({ ...shown, running: false });
  });
});

describe('fleet/close', () => {
  it('closes a terminal, running or exited', async () => {
    for (const command of [['cat'], ['true']]) {
      const terminalId = await openTerminal(used.api, command);
      if (command[0] === 'true') await used.api.post(`/api/terminals/${terminalId}/wait`, { until: 'exit' });
      const { status, body } = await close({ terminalId });
      expect([status, body]).toEqual([200, { machineId: 'self', terminalId, status: 'ok' }]);
      expect(await get(terminalId)).toMatchObject(NOT_FOUND);
    }
  });
});

describe.each([
  ['screen', screenOf],
  ['close', close],
] as const)('fleet/%s', (_name, ask) => {
  it('404 for an unknown terminal, 501 for a remote one, 400 without terminalId', async () => {
    const terminalId = await openTerminal(used.api, ['cat']);
    expect(await ask({ terminalId: 'term_unknown' })).toMatchObject(NOT_FOUND);
    expect(await ask({ terminalId, machineId: 'other' })).toMatchObject(NO_PEERING);
    expect((await ask({})).status).toBe(400);
    expect((await get(terminalId)).body.status).toBe('running');
  });
});
