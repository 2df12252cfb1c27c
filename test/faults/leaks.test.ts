import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Api, createApi, watch } from '../support/http.js';
import { eventually, hostPidOf, openFiles, processesOfSession } from '../support/processes.js';
import { type Service, startService } from '../support/service.js';

const COUNT = 100;

let service: Service;
let api: Api;
beforeAll(async () => {
  service = await startService();
  api = createApi(service.url);
});
afterAll(() => service.stop());

interface Terminal {
  id: string;
  pid: number;
}

/** Creates many at once, types into all by one batch, closes all; returns the pids of their shells. */
async function round(): Promise<number[]> {
  const watcher = await watch(service.url);
  const created = await Promise.all(
    Array.from({ length: COUNT }, async () => {
      const { status, body } = await api.post<Terminal>('/api/terminals', { profileId: 'sh' });
      expect(status).toBe(200);
      return body;
    }),
  );
  const terminalIds = created.map(({ id }) => id);
  expect(new Set(terminalIds).size).toBe(COUNT);
  const batch = await api.post('/api/terminals/batch/execute', {
    terminalIds,
    // The prompt also leaves processes that ignore the hangup, or are stopped.
    prompt:
      "(trap '' HUP; exec sleep 1000) & (kill -STOP $(exec sh -c 'echo $PPID'); sleep 1000) & echo printed $((40+2))",
    cliType: 'default',
    useBracketedPaste: false,
  });
  expect(batch.body).toMatchObject({ summary: { total: COUNT, succeeded: COUNT, failed: 0 } });
  await watcher.until(() => terminalIds.every((id) => watcher.output(id).includes('printed 42')));
  await watcher.close();
  const answers = await Promise.all(terminalIds.map((id) => api.delete(`/api/terminals/${id}`)));
  expect(answers.every(({ status }) => status === 200)).toBe(true);
  expect((await api.get('/api/terminals')).body).toEqual({ terminals: [] });
  return created.map(({ pid }) => pid);
}

describe(`${COUNT} terminals, made, used and closed`, () => {
  it('leave no process and no descriptor behind', async () => {
    const host = hostPidOf(service.home);
    await round();
    const counts = () => [openFiles(service.pid), openFiles(host)];
    // Idle connections of the first round close only after a while, so the lowest counts are compared.
    const settled = await lowest(counts);
    const pids = await round();
    await eventually('all processes are gone', () =>
      pids.every((pid) => processesOfSession(pid).length === 0),
    );
    await eventually(
      'no more descriptors than before',
      () => counts().every((count, index) => count <= settled[index]!),
      20_000,
    );
  });
});

/** The counts once the service has closed everything: the lowest within a few seconds. */
async function lowest(counts: () => number[]): Promise<number[]> {
  let least = counts();
  const end = performance.now() + 8_000;
  await eventually(
    'the time to settle is over',
    () => {
      least = counts().map((count, index) => Math.min(count, least[index]!));
      return performance.now() > end;
    },
    10_000,
  );
  return least;
}
