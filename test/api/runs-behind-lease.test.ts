import { beforeAll, expect, it } from 'vitest';
import { eventually } from '../support/processes.js';
import { openTerminal, runIn, settleHome } from '../support/runs.js';
import { useSharedService } from '../support/use-service.js';

const used = useSharedService();
beforeAll(() => settleHome(used.service.home));

/** Waits until a run stands in line behind the lease. */
function untilInLine(id: string): Promise<void> {
  return eventually('it waits in line', async () => {
    const { body } = await used.api.get<{ queued: number }>(`/api/terminals/${id}/lease`);
    return body.queued === 1;
  });
}

it.each([
  ['bash', ['bash']],
  ['zsh', ['zsh']],
  ['fish', ['fish']],
  ['bash without a line editor', ['bash', '--noediting']],
  ['dash', ['dash']],
] as const)(
  'in %s a run behind a lease is not typed into what the lease has started',
  async (_name, command) => {
    const id = await openTerminal(used.api, [...command]);
    await runIn(used.api, id, 'true');
    const lease = await used.api.post<{ leaseId: string }>(`/api/terminals/${id}/lease`, { ttlMs: 60_000 });
    const { leaseId } = lease.body;
    const wish = { whenBusy: 'queue', queueMs: 30_000 };
    const run = runIn(used.api, id, `sh -c 'echo own; exit 7'`, wish as object);
    await untilInLine(id);
    const shown = 'sh -c \'echo begun; cat -v; echo "over"\'';
    await used.api.post(`/api/terminals/${id}/input`, { data: `${shown}\r`, lease: leaseId });
    await used.api.post(`/api/terminals/${id}/wait`, { until: 'text', text: 'begun\n', timeoutMs: 20_000 });
    await used.api.delete(`/api/terminals/${id}/lease?leaseId=${leaseId}`);
    // Typed behind whatever the run has typed, into `cat`.
    await eventually('the line is empty', async () => {
      const { body } = await used.api.get<{ queued: number }>(`/api/terminals/${id}/lease`);
      return body.queued === 0;
    });
    await used.api.post(`/api/terminals/${id}/input`, { data: 'last\r' });
    await used.api.post(`/api/terminals/${id}/wait`, {
      until: 'text',
      text: 'last\nlast\n',
      timeoutMs: 20_000,
    });
    await used.api.post(`/api/terminals/${id}/input`, { data: '\x04' });
    expect(await run).toMatchObject({ success: true, done: true, exitCode: 7, raw: 'own\n' });
    const { body } = await used.api.get<{ raw: string }>(`/api/terminals/${id}/output?lines=50`);
    expect(body.raw).toMatch(/begun\nlast\nlast\nover\n/);
  },
);

it('in bash a run behind a lease interrupts nothing that the lease has completed', async () => {
  const { api } = used;
  const id = await openTerminal(api, ['bash']);
  await runIn(api, id, 'true');
  const lease = await api.post<{ leaseId: string }>(`/api/terminals/${id}/lease`, { ttlMs: 60_000 });
  const { leaseId } = lease.body;
  await api.post(`/api/terminals/${id}/input`, { data: 'echo "a\r', lease: leaseId });
  const run = runIn(api, id, 'echo own', { whenBusy: 'queue', queueMs: 30_000 } as object);
  await untilInLine(id);
  const data = `b"; sh -c 'echo begun; read x; echo "got $x"'\r`;
  await api.post(`/api/terminals/${id}/input`, { data, lease: leaseId });
  await api.post(`/api/terminals/${id}/wait`, { until: 'text', text: 'begun\n', timeoutMs: 20_000 });
  await api.delete(`/api/terminals/${id}/lease?leaseId=${leaseId}`);
  await api.post(`/api/terminals/${id}/input`, { data: 'last\r', whenBusy: 'queue' });
  expect(await run).toMatchObject({ success: true, done: true, exitCode: 0, raw: 'own\n' });
  const { body } = await api.get<{ raw: string }>(`/api/terminals/${id}/output?lines=50`);
  expect(body.raw).toContain('got last\n');
});
