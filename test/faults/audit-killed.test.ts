import { afterEach, expect, test } from 'vitest';
import type { AuditCheck, AuditEntry } from '#dist/contract/audit.js';
import type { Terminal } from '#dist/contract/terminal.js';
import { RestartedService } from '../support/restarted-service.js';

const WRITES = Number(process.env.AUTO_TERMINAL_AUDIT_WRITES ?? 10_000);
const CLIENTS = 20;
const KILLS = 3;

let service: RestartedService;
afterEach(() => service.stop());

test('20 clients type while the service is killed: each write has one line, and the chain is whole', {
  timeout: 300_000 + WRITES * 20,
}, async () => {
  service = await RestartedService.start();
  await service.once((api) => api.patch('/api/settings', { audit: { enabled: true } }));
  const each = Math.ceil(WRITES / CLIENTS);
  let done = 0;
  const kills = new Set(
    Array.from({ length: KILLS }, (_, kill) => Math.floor(((kill + 1) * WRITES) / (KILLS + 1))),
  );
  const write = async (client: number): Promise<string[]> => {
    const { id } = await service.post<Terminal>(`open-${client}`, '/api/terminals', {
      command: ['sh', '-c', 'stty raw -echo; exec cat > /dev/null'],
    });
    const keys = Array.from({ length: each }, (_, index) => `write-${client}-${index}`);
    for (const key of keys) {
      await service.post(key, `/api/terminals/${id}/input`, { data: key });
      done++;
      if (kills.delete(done)) void service.restart();
    }
    return keys;
  };
  const keys = (await Promise.all(Array.from({ length: CLIENTS }, (_, client) => write(client)))).flat();
  await service.once((api) => api.delete('/api/terminals/term_000000000000'));
  expect([service.restarts, keys.length >= WRITES]).toEqual([KILLS, true]);

  const { body: check } = await service.once((api) => api.get<AuditCheck>('/api/audit/verify'));
  expect(check).toMatchObject({ isWhole: true, first: 1 });
  const linesNow = async () => {
    const { body } = await service.once((api) => api.raw({ path: '/api/audit' }));
    return body.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as AuditEntry]));
  };
  /** Numbers of the writes without an entry for their outcome. */
  const unknownIn = (entries: readonly AuditEntry[]) => {
    const told = new Set(entries.map(({ of }) => of));
    return entries.filter(({ action, n }) => action === 'type' && !told.has(n)).map(({ n }) => n);
  };
  const lastOpened = (entries: readonly AuditEntry[]) =>
    entries.findLast(({ action }) => action === 'audit.opened')!.n;
  // Waits until the terminals have taken the last writes.
  await expect
    .poll(async () => {
      const entries = await linesNow();
      return unknownIn(entries).filter((n) => n > lastOpened(entries));
    })
    .toEqual([]);
  const lines = await linesNow();
  const unknown = new Set(unknownIn(lines));
  // Only writes in progress at a kill have no outcome.
  expect(unknown.size).toBeLessThanOrEqual(CLIENTS * KILLS);
  const typed = new Set(lines.flatMap(({ action, of }) => (action === 'typed' ? [of] : [])));
  const counts = new Map(keys.map((key) => [key, { typed: 0, unknown: 0 }]));
  for (const { action, n, request = '' } of lines) {
    const count = action === 'type' ? counts.get(request) : undefined;
    if (count && typed.has(n)) count.typed++;
    if (count && unknown.has(n)) count.unknown++;
  }
  const wrong = [...counts].filter(([, each]) => each.typed > 1 || each.typed + each.unknown === 0);
  expect(wrong).toEqual([]);
  expect(lines.filter(({ code }) => code === 'terminal-not-found')).toHaveLength(1);
});
