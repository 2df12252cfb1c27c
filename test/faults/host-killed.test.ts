import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { OutputPage, Terminal } from '#dist/contract/terminal.js';
import { createApi } from '../support/http.js';
import { eventually, hostPidOf, processesOfSession, processInfo } from '../support/processes.js';
import { type Service, startService } from '../support/service.js';

/** Survives a hangup, like its children. */
const STUBBORN = ['sh', '-c', 'trap "" HUP; echo up; while :; do sleep 1; done'];
/** The hangup ends its leader, but not the leader's child. */
const LEADERLESS = ['sh', '-c', '(trap "" HUP; while :; do sleep 1; done) & echo up; wait'];

async function started(): Promise<Service> {
  const service = await startService();
  onTestFinished(() => service.stop());
  return service;
}

/** A terminal whose program has reported that it is up. */
async function running({ url }: Service, command: string[]): Promise<Terminal & { session: number }> {
  const api = createApi(url);
  const { body } = await api.post<Terminal>('/api/terminals', { command, labels: { kind: 'kept' } });
  await eventually('it is up', async () => {
    const { body: output } = await api.get<{ raw: string }>(`/api/terminals/${body.id}/output`);
    return output.raw.includes('up');
  });
  // In tmux the program runs under a shell that leads the session.
  return { ...body, session: processInfo(body.pid)?.session ?? body.pid };
}

const statusOf = async ({ url }: Service, id: string) => createApi(url).get<Terminal>(`/api/terminals/${id}`);

const recordsIn = ({ home }: Service) => {
  const folder = join(home, 'data', 'pty-host-terminals');
  return existsSync(folder) ? readdirSync(folder) : [];
};

const LOST = { status: 'exited', exitCode: null, signal: null, reason: 'host-lost' };

async function killHost({ home }: Service): Promise<void> {
  const pid = hostPidOf(home);
  process.kill(pid, 'SIGKILL');
  await eventually('the host has gone', () => processInfo(pid) === undefined);
}

test.each([
  ['a program that ignores its hangup', STUBBORN],
  ['a program whose leader has gone', LEADERLESS],
])('%s is ended by the next host, and listed as exited with a reason', async (_name, command) => {
  const service = await started();
  const { id, pid, session, createdAt } = await running(service, command);
  const api = createApi(service.url);
  const { body: before } = await api.get<OutputPage>(`/api/terminals/${id}/output`);
  expect(processesOfSession(session).length).toBeGreaterThan(0);
  await killHost(service);
  // The terminal is never unknown meanwhile.
  await eventually('it is told', async () => {
    const { status, body } = await statusOf(service, id);
    expect(status).toBe(200);
    return body.status === 'exited';
  });
  expect((await statusOf(service, id)).body).toMatchObject({
    ...LOST,
    pid,
    createdAt,
    labels: { kind: 'kept' },
  });
  await eventually('its processes have gone', () => processesOfSession(session).length === 0);
  const { body: all } = await api.get<{ terminals: Terminal[] }>('/api/terminals?status=all');
  expect(all.terminals).toMatchObject([{ id, ...LOST }]);
  expect((await api.get<{ terminals: Terminal[] }>('/api/terminals')).body.terminals).toEqual([]);
  // The terminal's earlier output is gone, and the answers report that.
  const since = `/api/terminals/${id}/output?since=${before.cursor}`;
  expect((await api.get(since)).body).toMatchObject({ raw: '', gap: true });
  const { body: answer } = await api.post('/api/terminals/changes', { cursors: { [id]: before.cursor } });
  expect(answer).toMatchObject({ changes: [{ id, raw: '', gap: true }] });
  expect((await api.get(`/api/terminals/${id}/output`)).status).toBe(200);
  expect((await api.get(`/api/terminals/${id}/snapshot`)).status).toBe(200);
  // Another terminal works beside the lost terminal, and both can be closed.
  const next = await running(service, STUBBORN);
  expect((await api.delete(`/api/terminals/${id}`)).status).toBe(200);
  expect((await statusOf(service, id)).status).toBe(404);
  expect((await api.delete(`/api/terminals/${next.id}`)).status).toBe(200);
  await eventually('nothing is written down any more', () => recordsIn(service).length === 0);
});

test('the host and the service killed: the next start ends the program and reports it', async () => {
  const first = await startService();
  const { id, session } = await running(first, STUBBORN);
  const other = await running(first, LEADERLESS);
  const exited = await running(first, ['sh', '-c', 'echo up; exit 7']);
  const api = createApi(first.url);
  expect((await api.patch(`/api/terminals/${id}`, { name: 'renamed' })).status).toBe(200);
  await eventually('it has exited', async () => (await statusOf(first, exited.id)).body.status === 'exited');
  const host = hostPidOf(first.home);
  await first.kill('SIGKILL');
  process.kill(host, 'SIGKILL');
  await eventually('the host has gone', () => processInfo(host) === undefined);
  expect(processesOfSession(session).length).toBeGreaterThan(0);

  const second = await startService({ home: first.home });
  onTestFinished(() => second.stop());
  expect((await statusOf(second, id)).body).toMatchObject({ ...LOST, name: 'renamed' });
  expect((await statusOf(second, other.id)).body).toMatchObject(LOST);
  expect((await statusOf(second, exited.id)).body).toMatchObject({ status: 'exited', exitCode: 7 });
  expect((await statusOf(second, exited.id)).body).not.toHaveProperty('reason');
  await eventually('its processes have gone', () => processesOfSession(session).length === 0);
  await eventually('all of them', () => processesOfSession(other.session).length === 0);
});

test('a terminal that is being closed as its host is killed is ended, and no longer listed', async () => {
  const service = await started();
  const { id, session } = await running(service, STUBBORN);
  const api = createApi(service.url);
  expect((await api.delete(`/api/terminals/${id}`)).status).toBe(200);
  await killHost(service);
  await eventually('its processes have gone', () => processesOfSession(session).length === 0);
  expect((await statusOf(service, id)).status).toBe(404);
  await eventually('nothing is written down any more', () => recordsIn(service).length === 0);
});

test('a clean stop leaves no record', async () => {
  const service = await startService();
  await running(service, STUBBORN);
  expect(recordsIn(service)).toHaveLength(1);
  await service.kill('SIGTERM');
  await eventually('the host is done with it', () => recordsIn(service).length === 0);
  await service.stop();
});

test('a new name is not answered as kept while a stuck host has not got it', async () => {
  const service = await started();
  const { id } = await running(service, STUBBORN);
  const api = createApi(service.url);
  const host = hostPidOf(service.home);
  process.kill(host, 'SIGSTOP');
  const stuck = await api.patch(`/api/terminals/${id}`, { name: 'renamed' });
  process.kill(host, 'SIGCONT');
  expect(stuck.status).toBe(503);
  expect((await api.patch(`/api/terminals/${id}`, { name: 'renamed' })).status).toBe(200);
});
