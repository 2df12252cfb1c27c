import { afterEach, expect, it } from 'vitest';
import { AttachClient } from '../support/attach-client.js';
import { createApi } from '../support/http.js';
import { eventually } from '../support/processes.js';
import { type Service, startService } from '../support/service.js';

let service: Service;
afterEach(() => service.stop());

const SMALL = { cols: 60, rows: 20 };

it('a service that is killed under attached clients: its successor gives back what the API set', async () => {
  service = await startService();
  const { home } = service;
  let api = createApi(service.url);
  const create = { command: ['cat'], cols: 90, rows: 30 };
  const { id } = (await api.post<{ id: string }>('/api/terminals', create)).body;
  const sizeOf = async () => (await api.get(`/api/terminals/${id}/size`)).body;
  const first = await AttachClient.open(service.url);
  expect(await first.attach(id, SMALL)).toMatchObject({ isLeader: true, ...SMALL });
  await service.kill('SIGKILL');
  service = await startService({ home });
  api = createApi(service.url);
  await eventually('the size is back', async () => {
    return JSON.stringify(await sizeOf()) === JSON.stringify({ cols: 90, rows: 30 });
  });
  expect((await api.get(`/api/terminals/${id}/clients`)).body).toEqual({ clients: [] });

  // A client that comes back at once leads; once the last client leaves, the terminal has its own size again.
  await (await AttachClient.open(service.url)).attach(id, SMALL);
  await service.kill('SIGKILL');
  service = await startService({ home });
  api = createApi(service.url);
  const again = await AttachClient.open(service.url);
  await again.attach(id, SMALL);
  await eventually('the client has its size', async () => {
    return JSON.stringify(await sizeOf()) === JSON.stringify(SMALL);
  });
  await again.watcher.close();
  await eventually('the size is back', async () => {
    return JSON.stringify(await sizeOf()) === JSON.stringify({ cols: 90, rows: 30 });
  });
});
