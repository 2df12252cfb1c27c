import { expect, test } from 'vitest';
import type { Terminal } from '#dist/contract/terminal.js';
import type { Failure } from '../support/http.js';
import { niceOf } from '../support/nice-of.js';
import { hostPidOf } from '../support/processes.js';
import { useService } from '../support/use-service.js';

const used = useService();

/** Nice value of a new program. */
async function niceOfNew(): Promise<number> {
  const { body } = await used.api.post<Terminal>('/api/terminals', { command: ['sleep', '1000'] });
  return niceOf(body.pid);
}

test('programs are nicer than the processes that serve them, by the setting terminals.nice', async () => {
  const serving = () => [used.service.pid, hostPidOf(used.service.home)].map(niceOf);
  const before = serving();
  expect(await niceOfNew()).toBe(10);
  for (const nice of [0, 19, 1]) {
    expect((await used.api.patch('/api/settings', { terminals: { nice } })).status).toBe(200);
    expect(await niceOfNew()).toBe(nice);
  }
  expect(serving()).toEqual(before);
});

test.each([-1, 20, 1.5, '5'])('nice %j is refused', async (nice) => {
  const { status, body } = await used.api.patch<Failure>('/api/settings', { terminals: { nice } });
  expect([status, body.error]).toEqual([400, expect.stringContaining('nice')]);
});
