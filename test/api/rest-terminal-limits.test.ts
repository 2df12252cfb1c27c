import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { Terminal } from '#dist/contract/terminal.js';
import type { TerminalLimits } from '#dist/contract/terminal-limits.js';
import { FakeCgroup } from '../support/fake-cgroup.js';
import { type Api, createApi, type Failure } from '../support/http.js';
import { eventually } from '../support/processes.js';
import { type Service, startService } from '../support/service.js';
import { useService } from '../support/use-service.js';

const MiB = 1024 * 1024;
/** Allocates far more than any limit here, and stays. */
const HOG = [process.execPath, '-e', 'globalThis.hog = Buffer.alloc(400e6, 1); setInterval(() => {}, 1000)'];

type Created = Terminal & { warnings?: string[] };
const createdBy = (api: Api) => async (body: object) =>
  (await api.post<Created>('/api/terminals', { command: ['cat'], ...body })).body;

describe('where control groups are delegated', () => {
  let tree: FakeCgroup;
  let service: Service;
  let api: Api;
  beforeAll(async () => {
    tree = new FakeCgroup();
    service = await startService({ env: { AUTO_TERMINAL_CGROUP_ROOT: tree.folder } });
    api = createApi(service.url);
  });
  afterAll(async () => {
    await service.stop();
    tree.remove();
  });
  afterEach(async () => {
    await api.patch('/api/settings', { limits: null });
  });

  const get = async (id: string) => (await api.get<Terminal>(`/api/terminals/${id}`)).body;

  test('a child that allocates past its limit ends its terminal alone, which says so', async () => {
    const create = createdBy(api);
    const other = await create({ limits: { memoryBytes: 256 * MiB } });
    const sleeps = `sleep 1000 & ${HOG.map((word) => `'${word}'`).join(' ')}; echo not reached`;
    const { id, limits } = await create({
      command: ['sh', '-c', sleeps],
      limits: { memoryBytes: 256 * MiB, pids: 64 },
    });
    expect(limits).toEqual({ by: 'cgroup', memoryBytes: 256 * MiB, pids: 64, cpuWeight: null });
    await eventually('it has ended', async () => (await get(id)).status === 'exited');
    expect(await get(id)).toMatchObject({ exitCode: null, signal: 'SIGKILL', oomKilled: true, limits });
    expect(await get(other.id)).toMatchObject({ status: 'running' });
    const { body } = await api.get<{ terminals: Terminal[] }>('/api/terminals?view=full&status=all');
    expect(body.terminals.find((each) => each.id === id)).toMatchObject({ oomKilled: true, limits });
    const { body: metrics } = await api.raw({ path: '/metrics' });
    expect(metrics).toMatch(/^auto_terminal_terminals_oom_killed_total 1$/m);
    await api.delete(`/api/terminals/${other.id}`);
  });

  test('the setting is for all terminals, and a request names its own or lifts one', async () => {
    const create = createdBy(api);
    const perTerminal: TerminalLimits = { memoryBytes: 512 * MiB, pids: 100, cpuWeight: 50 };
    expect((await api.patch('/api/settings', { limits: { perTerminal } })).status).toBe(200);
    expect((await create({})).limits).toEqual({ by: 'cgroup', ...perTerminal });
    expect((await create({ limits: { pids: 20, cpuWeight: null } })).limits).toEqual({
      ...{ by: 'cgroup', memoryBytes: 512 * MiB, pids: 20, cpuWeight: null },
    });
    const lifted = await create({ limits: { memoryBytes: null, pids: null, cpuWeight: null } });
    expect(lifted).not.toHaveProperty('limits');
    await api.patch('/api/settings', { limits: { perTerminal: { pids: null, cpuWeight: null } } });
    expect((await create({})).limits).toEqual({
      ...{ by: 'cgroup', memoryBytes: 512 * MiB, pids: null, cpuWeight: null },
    });
  });

  test('an ended program says that it was not killed; one without a limit of memory says nothing', async () => {
    const create = createdBy(api);
    const [known, unknown] = [
      await create({ limits: { memoryBytes: 256 * MiB } }),
      await create({ limits: { pids: 20 } }),
    ];
    await eventually('the groups count', () =>
      [known, unknown].every(({ id }) => tree.read(id, 'memory.events') !== ''),
    );
    for (const { id } of [known, unknown]) {
      await api.post(`/api/terminals/${id}/input`, { data: '\u0004' });
      await eventually('it has ended', async () => (await get(id)).status === 'exited');
    }
    expect(await get(known.id)).toMatchObject({ exitCode: 0, oomKilled: false });
    expect(await get(unknown.id)).not.toHaveProperty('oomKilled');
  });

  test('a service that is killed finds the limits again, and a close removes the group', async () => {
    const { id, limits } = await createdBy(api)({ limits: { pids: 33 } });
    await service.kill('SIGKILL');
    service = await startService({
      home: service.home,
      env: { AUTO_TERMINAL_CGROUP_ROOT: tree.folder },
    });
    api = createApi(service.url);
    expect((await get(id)).limits).toEqual(limits);
    await api.delete(`/api/terminals/${id}`);
    await eventually('its group is gone', () => !tree.terminals.some((name) => name.includes(id)));
  });
});

describe('where none are delegated', () => {
  const used = useService();

  test('the limits of processes hold, and a warning names what does not', async () => {
    const create = createdBy(used.api);
    const limits = { memoryBytes: 256 * MiB, pids: 64, cpuWeight: 50 };
    const created = await create({ command: HOG, limits });
    const { id, limits: held, warnings } = created;
    expect(held).toEqual({
      ...{ by: 'rlimit', memoryBytes: 256 * MiB, pids: null, cpuWeight: 51 },
      ...{ notHeld: ['pids'], why: expect.any(String) },
    });
    expect(warnings).toEqual([expect.stringMatching(/^limits\.pids does not hold here: ./)]);
    const other = await create({});
    const get = async () => (await used.api.get<Terminal>(`/api/terminals/${id}`)).body;
    await eventually('it has ended', async () => (await get()).status === 'exited');
    const ended = await get();
    expect(ended.limits).toEqual(held);
    expect(ended).not.toHaveProperty('oomKilled');
    expect((await used.api.get<Terminal>(`/api/terminals/${other.id}`)).body.status).toBe('running');
  });

  test.each([
    [{ memoryBytes: 1 }, 'memoryBytes'],
    [{ memoryBytes: '512MB' }, 'memoryBytes'],
    [{ pids: 1 }, 'pids'],
    [{ cpuWeight: 10_001 }, 'cpuWeight'],
    [{ memory: 512 * MiB }, 'memory'],
  ])('limits %j are refused', async (limits, name) => {
    const { status, body } = await used.api.post<Failure>('/api/terminals', { limits });
    expect([status, body.error]).toEqual([400, expect.stringContaining(name)]);
    const setting = await used.api.patch<Failure>('/api/settings', { limits: { perTerminal: limits } });
    expect([setting.status, setting.body.error]).toEqual([400, expect.stringContaining(name)]);
  });
});
