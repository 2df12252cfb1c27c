import { describe, expect, it } from 'vitest';
import { type Api, createApi, type Failure } from '../support/http.js';
import { childrenOf, eventually, hostPidOf } from '../support/processes.js';
import { openTerminal, runIn, runInAll } from '../support/runs.js';
import { startService } from '../support/service.js';

/** Whether exactly `count` commands run in all terminals together. */
async function isRunning(api: Api, count: number): Promise<boolean> {
  const { body } = await api.get<{ terminals: { id: string }[] }>('/api/fleet/terminals');
  const lists = await Promise.all(
    body.terminals.map(({ id }) =>
      api.get<{ commands?: { endedAt: number | null }[] }>(`/api/terminals/${id}/commands`),
    ),
  );
  const open = lists.flatMap(({ body }) => (body.commands ?? []).filter(({ endedAt }) => endedAt === null));
  return open.length === count;
}

describe('SIGTERM while commands run', () => {
  it('answers all waiting clients 503, also for a new terminal and a run that waits its turn', async () => {
    const service = await startService({ env: { SHELL: '/bin/bash' } });
    try {
      const api = createApi(service.url);
      const terminalIds = [await openTerminal(api, ['bash']), await openTerminal(api, ['dash'])];
      const command = 'sleep 600';
      const [first] = terminalIds;
      const keyed = createApi(service.url, { headers: { 'idempotency-key': 'fleet' } });
      const waiting = [
        api.post<Failure>('/api/terminals/batch/run', { terminalIds, command }),
        api.post<Failure>('/api/fleet/execute', { command }),
        keyed.post<Failure>('/api/fleet/execute', { command }),
      ];
      await eventually('all of them run', () => isRunning(api, 4));
      waiting.push(api.post<Failure>('/api/fleet/execute', { terminalId: first, command }));
      waiting.push(api.post<Failure>('/api/terminals/batch/run', { terminalIds, command }));
      await eventually('all of them wait', async () => {
        const { body } = await api.get<string>('/metrics');
        return /^auto_terminal_waits 7$/m.test(body);
      });
      const stopped = service.kill('SIGTERM');
      for (const { status, body } of await Promise.all(waiting))
        expect([status, body.error]).toEqual([503, 'Service is shutting down']);
      expect(await stopped).toBe(0);
      expect(service.log()).not.toContain('Internal error');
    } finally {
      await service.stop();
    }
  });
});

describe.each(['bash', 'dash'])('SIGTERM while %s runs a command', (shell) => {
  it('leaves it unknown, and not untyped: the next service has lost the terminal', async () => {
    let service = await startService({ env: { SHELL: '/bin/bash' } });
    try {
      const keyed = () => createApi(service.url, { headers: { 'idempotency-key': 'once' } });
      const request = {
        terminalIds: [await openTerminal(createApi(service.url), [shell])],
        command: 'sleep 600',
      };
      const run = keyed().post<Failure>('/api/terminals/batch/run', request);
      await eventually('it runs', () => isRunning(createApi(service.url), 1));
      await service.kill('SIGTERM');
      expect(await run).toMatchObject({ status: 503 });
      service = await startService({ home: service.home });
      const { body } = await keyed().post<{ results: unknown[] }>('/api/terminals/batch/run', request);
      expect(body.results).toMatchObject([
        { done: false, exitCode: null, reason: 'restarted', code: 'terminal-not-found' },
      ]);
    } finally {
      await service.stop();
    }
  });
});

describe('a pty host that dies while commands run', () => {
  it('ends their terminals: the runs fail, and the next ones work', async () => {
    const service = await startService({ env: { SHELL: '/bin/bash' } });
    try {
      const api = createApi(service.url);
      const ids = [await openTerminal(api, ['bash']), await openTerminal(api, ['dash'])];
      const batch = runInAll(api, ids, 'sleep 600');
      const execution = api.post<Failure>('/api/fleet/execute', { command: 'sleep 600' });
      await eventually('all of them run', () => isRunning(api, 3));
      process.kill(hostPidOf(service.home), 'SIGKILL');
      const failed = { success: false, done: false, error: 'Terminal not found' };
      expect((await batch).results).toMatchObject([failed, failed]);
      expect(await execution).toMatchObject({ status: 404, body: { error: 'Terminal not found' } });
      const next = await openTerminal(api, ['bash']);
      expect(await runIn(api, next, 'echo next')).toMatchObject({ done: true, exitCode: 0, raw: 'next\n' });
    } finally {
      await service.stop();
    }
  });
});

it('a command that ends between two services, in a shell without keys for runs, is not told as one that ran nothing', async () => {
  let service = await startService({ env: { SHELL: '/bin/bash' } });
  try {
    const id = await openTerminal(createApi(service.url), ['bash', '--noediting']);
    const { pid } = (await createApi(service.url).get<{ pid: number }>(`/api/terminals/${id}`)).body;
    const keyed = () => createApi(service.url, { headers: { 'idempotency-key': 'once' } });
    const request = { terminalIds: [id], command: 'sleep 3; false', timeoutMs: 60_000 };
    const first = keyed().post('/api/terminals/batch/run', request);
    const cut = first.catch(() => undefined);
    await eventually('it runs', () => isRunning(createApi(service.url), 1));
    await service.kill('SIGKILL');
    await cut;
    await eventually('it has ended', () => childrenOf(pid).length === 0);
    service = await startService({ home: service.home });
    const { body } = await keyed().post<{ results: object[] }>('/api/terminals/batch/run', request);
    const [result] = body.results;
    const isKnown = result !== undefined && 'exitCode' in result && result.exitCode !== null;
    expect(result).toMatchObject(isKnown ? { exitCode: 1 } : { exitCode: null, reason: 'restarted' });
  } finally {
    await service.stop();
  }
});
