import { afterEach, expect, test } from 'vitest';
import { createApi } from '../support/http.js';
import { Limited } from '../support/limits.js';
import { type Service, startService } from '../support/service.js';

let service: Service;
afterEach(() => service.stop());

test('terminals that a restarted service takes up again count, and none is refused; the line begins anew', async () => {
  service = await startService({ env: { SHELL: '/bin/sh' } });
  let limited = new Limited(createApi(service.url));
  for (const of of ['a', 'a', 'b']) await limited.create({ labels: { of } });
  await limited.set({ maxTerminals: 2, perLabel: [{ selector: 'of=a', max: 1 }] });
  const body = { command: ['cat'], queueMs: 60_000 };
  const headers = { 'idempotency-key': 'waits' };
  const waits = createApi(service.url, { headers }).post('/api/terminals', body);
  waits.catch(() => undefined);
  await limited.waiting(1);
  await service.kill('SIGKILL');
  await expect(waits).rejects.toThrow();

  service = await startService({ home: service.home, env: { SHELL: '/bin/sh' } });
  limited = new Limited(createApi(service.url));
  expect(await limited.now()).toMatchObject({
    terminals: { running: 3, starting: 0, max: 2 },
    perLabel: [{ selector: 'of=a', terminals: 2, max: 1 }],
    queue: { length: 0 },
  });
  expect((await limited.create()).body).toMatchObject({ code: 'over-limit', value: 3, max: 2 });
  // The client repeats its request with its key, and takes its place in the new line.
  const again = createApi(service.url, { headers }).post<{ status: string }>('/api/terminals', body);
  await limited.waiting(1);
  const [first, second] = await limited.running();
  for (const terminal of [first, second]) await limited.api.delete(`/api/terminals/${terminal?.id}`);
  expect((await again).body).toMatchObject({ status: 'running' });
});
